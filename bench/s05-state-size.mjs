/* S5: what one update costs when the state holds 50 MB instead of 1, and how long a checkpoint stops the event loop. */
import fs from 'node:fs'
import path from 'node:path'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { tasks } from './lib/fixtures.mjs'
import { freshDir, memoryDir } from './lib/place.mjs'
import { freshSession, many, set } from './lib/product.mjs'
import { note, row, time } from './lib/report.mjs'
import { drive, interleave, latencies, ratio } from './lib/slices.mjs'
import { median, quantile, spread } from './lib/stats.mjs'

export const promises = ['S5']

const MB = 1_000_000
const texts = tasks(1000).map((task) => JSON.stringify(task))
const BYTES_EACH = texts.join().length / texts.length

/** A session that holds about `mb` megabytes in entries of some 500 bytes. */
async function filled(dir, mb, settings) {
  const opened = await freshSession(dir, settings === undefined ? {} : { settings })
  const entries = Math.round((mb * MB) / BYTES_EACH)
  await many(entries, 512, (i) => set(opened.session, `$.data.tasks.t${i}`, JSON.parse(texts[i % 1000])))
  const checkpoint = path.join(dir, '.steadfold/sessions', opened.session.id, 'checkpoint.json')
  return { ...opened, entries, checkpoint }
}

/** Sets one small field of an entry; entries far apart, so that no cache line stays warm by luck. */
function updater({ session, entries }) {
  let i = 0
  return () => {
    i++
    return set(session, `$.data.tasks.t${(i * 7919) % entries}.status`, i % 2 === 0 ? 'review' : 'completed')
  }
}

export async function run({ quick, say }) {
  const big = quick ? 10 : 50
  const rows = [
    ...(await updateCost('', (name) => freshDir(name), big, quick)),
    ...(memoryDir('probe') === undefined
      ? []
      : await updateCost('without the disk', (name) => memoryDir(name), big, quick)),
  ]
  say('updates measured')
  return [...rows, ...(await stalls(big, quick))]
}

async function updateCost(label, place, mb, quick) {
  const [small, large] = [await filled(place('s5a'), 1), await filled(place('s5b'), mb)]
  const [updateSmall, updateLarge] = [updater(small), updater(large)]
  const half = async (update) => quantile(await latencies(update, 100), 0.5)
  const options = { rounds: quick ? 10 : 40 }
  const p50 = await interleave({ small: () => half(updateSmall), large: () => half(updateLarge) }, options)
  const mean = await interleave({ small: () => drive(updateSmall), large: () => drive(updateLarge) }, options)
  await small.close()
  await large.close()
  return costRows(label, mb, p50, mean)
}

function costRows(label, mb, p50, mean) {
  const about = { ours: time(median(p50.large)), peer: `1 MB ${time(median(p50.small))}` }
  const averages = note('S5', '  mean instead of p50, checkpoints included', time(1e6 / median(mean.large)), {
    peer: time(1e6 / median(mean.small)),
    measured: ratio(mean.small, mean.large),
    kind: 'ratio',
  })
  const measured = ratio(p50.large, p50.small)
  if (label !== '')
    return [note('S5', `  ${label}`, about.ours, { peer: about.peer, measured, kind: 'ratio' }), averages]
  const work = `one durable update at ${mb} MB of state`
  return [row({ id: 'S5', work, ...about, ratio: measured, target: '≤ 1.3 ×', limit: 1.3 }), averages]
}

const stamp = (file) => fs.statSync(file, { throwIfNoEntry: false })?.ino ?? 0
const tick = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })

/**
 * Longest delay of the event loop in ms while 64 callers write, until `until` says so or `most` ms went by.
 * Two clocks watch: Node's histogram and an own 1 ms interval; whichever saw more counts.
 */
async function watch(update, { until, most }) {
  const histogram = monitorEventLoopDelay({ resolution: 1 })
  let [longest, last] = [0, performance.now()]
  const timer = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - last - 1)
    last = now
  }, 1)
  histogram.enable()
  const end = performance.now() + most
  while (performance.now() < end && !until()) {
    await drive(update, { callers: 64, ms: 20 })
    await tick(1)
  }
  await tick(20)
  histogram.disable()
  clearInterval(timer)
  return Math.max(longest, histogram.max / 1e6 - 1)
}

/** The same load without checkpoints, for as long, is the control: group commits and garbage stop the loop too. */
async function stalls(mb, quick) {
  const control = await filled(freshDir('s5d'), mb, { checkpoints: false })
  const opened = await filled(freshDir('s5c'), mb)
  const found = { without: [], during: [] }
  const [quiet, update] = [updater(control), updater(opened)]
  for (let round = -1; round < (quick ? 2 : 7); round++) {
    await settle(opened.checkpoint)
    globalThis.gc?.()
    const { longest, ms } = await whileCheckpoint(opened.checkpoint, update)
    const without = await watch(quiet, { until: () => false, most: ms })
    if (round >= 0) [found.without[round], found.during[round]] = [without, longest]
  }
  await control.close()
  await opened.close()
  return stallRows(mb, found)
}

/** From when it is begun, which the last one shows by its time, until the new one stands in its place. */
async function whileCheckpoint(file, update) {
  const last = stamp(file)
  const touched = () => fs.statSync(file).mtimeMs
  const before = touched()
  for (const end = performance.now() + 240_000; touched() === before; await drive(update, { callers: 64, ms: 20 }))
    if (performance.now() > end) throw new Error('no checkpoint was begun within four minutes of writing')
  const began = performance.now()
  const longest = await watch(update, { until: () => stamp(file) !== last, most: 240_000 })
  if (stamp(file) === last) throw new Error('no checkpoint was made within four minutes of writing')
  return { longest, ms: performance.now() - began }
}

/** Waits until no checkpoint is under way, so that the next one is wholly inside the watch. */
async function settle(file) {
  for (let before = -1; before !== stamp(file);) {
    before = stamp(file)
    await tick(1500)
  }
}

function stallRows(mb, { without, during }) {
  return [
    row({
      id: 'S5',
      work: `longest event-loop stall while a ${mb} MB checkpoint is made`,
      ours: time(median(during) * 1000),
      peer: `same load, no checkpoint ${time(median(without) * 1000)}`,
      figure: spread(during),
      unit: ' ms',
      target: '≤ 20 ms',
      limit: 20,
    }),
  ]
}
