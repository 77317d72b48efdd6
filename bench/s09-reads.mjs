/*
 * S9: one path and one filter query over 1,000 tasks, against code written by hand for exactly that question.
 * Both read the very same objects: how V8 lays out an object with 1,000 members decides more than either code.
 */
import { performance } from 'node:perf_hooks'
import { tasks } from './lib/fixtures.mjs'
import { freshDir } from './lib/place.mjs'
import { freshSession, many, set } from './lib/product.mjs'
import { note, row, time } from './lib/report.mjs'
import { interleave, ratio } from './lib/slices.mjs'
import { median } from './lib/stats.mjs'

export const promises = ['S9']

const COUNT = 1000
const FILTER = "$.data.tasks[?@.status=='pending'].id"
const keys = Array.from({ length: 64 }, (_, i) => `t${(i * 157) % COUNT}`)
const paths = keys.map((key) => `$.data.tasks.${key}.status`)
/** Everything read lands here, so that no engine may skip the reading. */
let sink = 0

/** Nanoseconds of one call, over a slice of about `ms`. */
function timed(call, batch, ms = 50) {
  let calls = 0
  const from = performance.now()
  let now = from
  while (now < from + ms) {
    for (let i = 0; i < batch; i++) call()
    calls += batch
    now = performance.now()
  }
  return ((now - from) * 1e6) / calls
}

async function timedLater(call, batch, ms = 50) {
  let calls = 0
  const from = performance.now()
  let now = from
  while (now < from + ms) {
    for (let i = 0; i < batch; i++) await call()
    calls += batch
    now = performance.now()
  }
  return ((now - from) * 1e6) / calls
}

function byHand(state) {
  const found = []
  const all = state.data.tasks
  for (const key in all) if (all[key].status === 'pending') found.push(all[key].id)
  return found
}

export async function run({ quick }) {
  const { session, close } = await freshSession(freshDir('s9'))
  const all = tasks(COUNT)
  await many(COUNT, 64, (i) => set(session, `$.data.tasks.${all[i].id}`, all[i]))
  const state = session.stored
  const expected = byHand(state)
  const answered = await session.query(FILTER)
  if (JSON.stringify([...answered].sort()) !== JSON.stringify([...expected].sort()))
    throw new Error('the query answers something else')
  const figures = await interleave(cases(session, state), { rounds: quick ? 10 : 40, warm: 5 })
  await close()
  return rows(figures)
}

function cases(session, state) {
  const [key, path] = [keys[7], paths[7]]
  let i = 0
  let j = 0
  return {
    getOne: () =>
      timed(() => {
        sink += session.get(path).length
      }, 1000),
    walkOne: () =>
      timed(() => {
        sink += state.data.tasks[key].status.length
      }, 1000),
    getMany: () =>
      timed(() => {
        sink += session.get(paths[i++ & 63]).length
      }, 1000),
    walkMany: () =>
      timed(() => {
        sink += state.data.tasks[keys[j++ & 63]].status.length
      }, 1000),
    query: () =>
      timedLater(async () => {
        sink += (await session.query(FILTER)).length
      }, 8),
    loop: () =>
      timedLater(async () => {
        sink += byHand(state).length
      }, 8),
  }
}

function rows({ getOne, walkOne, getMany, walkMany, query, loop }) {
  const ns = (figures) => time(median(figures) / 1000)
  return [
    row({
      id: 'S9',
      work: '`get` of one path',
      ours: ns(getOne),
      peer: `property walk ${ns(walkOne)}`,
      ratio: ratio(getOne, walkOne),
      target: '≤ 4 ×',
      limit: 4,
    }),
    note('S9', '  64 paths in turn', ns(getMany), {
      peer: ns(walkMany),
      measured: ratio(getMany, walkMany),
      kind: 'ratio',
    }),
    row({
      id: 'S9',
      work: 'filter query over 1,000 tasks',
      ours: ns(query),
      peer: `hand-written loop ${ns(loop)}`,
      ratio: ratio(query, loop),
      target: '≤ 2 ×',
      limit: 2,
      detail: { sink: sink > 0 },
    }),
  ]
}
