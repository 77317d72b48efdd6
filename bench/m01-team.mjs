/* M1: what a claim, a look at what is ready and an update of a task cost at 10,000 tasks and 100 agents, against 100 tasks. */
import { freshDir, memoryDir } from './lib/place.mjs'
import { freshSession, many } from './lib/product.mjs'
import { note, row, time } from './lib/report.mjs'
import { interleave, ratio } from './lib/slices.mjs'
import { median, quantile } from './lib/stats.mjs'

export const promises = ['M1']

const AGENTS = 100
const PRIORITIES = ['critical', 'high', 'medium', 'low']
const TEAMS = ['core', 'web', 'docs']
const EACH = 40

/** Must be accepted: a refusal would be a fast wrong answer. */
async function ask(session, operation, input, options) {
  const done = await session.run(operation, input, options)
  if (done.kind !== 'accepted') throw new Error(`${operation} refused: ${done.code} ${done.message}`)
  return done
}

async function filled(dir, count) {
  const opened = await freshSession(dir)
  const { session } = opened
  await many(AGENTS, 64, (i) => ask(session, 'agent.register', { agent: `a${i}`, type: 'worker', ttl_ms: 3_600_000 }))
  await ask(session, 'pool.set', { type: 'worker', max: AGENTS, policy: 'predictive' })
  await many(count, 256, (i) =>
    ask(session, 'task.add', { title: `build part ${i}`, priority: PRIORITIES[(i * 7) % 4], team: TEAMS[i % 3] }),
  )
  return { ...opened, count, turn: 0 }
}

/** Microseconds of one call, and what must be put back behind it. */
async function timed(call) {
  const from = performance.now()
  const done = await call()
  return [(performance.now() - from) * 1000, done]
}

const WORK = {
  'a claim': async ({ session }, actor) => {
    const [us, { value }] = await timed(() => ask(session, 'task.claim', { any: true }, actor))
    await ask(session, 'task.release', { task: value.id, token: value.token }, actor)
    return us
  },
  'a claim of a team': async ({ session }, actor) => {
    const [us, { value }] = await timed(() => ask(session, 'task.claim', { any: true, team: 'docs' }, actor))
    await ask(session, 'task.release', { task: value.id, token: value.token }, actor)
    return us
  },
  'a look at what is ready': async ({ session }) => (await timed(() => ask(session, 'task.ready', {})))[0],
  'an update of a task': async (place) => {
    const task = `task-${((place.turn * 7919) % place.count) + 1}`
    const input = { task, priority: PRIORITIES[place.turn % 4], effort: (place.turn % 9) + 1 }
    return (await timed(() => ask(place.session, 'task.update', input)))[0]
  },
}

/** The median of some calls, by one agent after the other. */
async function p50(place, work) {
  const found = []
  for (let i = 0; i < EACH; i++) {
    place.turn++
    found.push(await work(place, { actor: `agent:a${place.turn % AGENTS}` }))
  }
  return quantile(found, 0.5)
}

export async function run({ quick, say }) {
  const many = quick ? 2000 : 10_000
  const rows = await compared('', freshDir, { count: many, quick })
  say('on the disk measured')
  if (memoryDir('probe') === undefined) return rows
  return [...rows, ...(await compared('without the disk', memoryDir, { count: many, quick }))]
}

async function compared(label, place, { count, quick }) {
  const [few, lots] = [await filled(place('m1a'), 100), await filled(place('m1b'), count)]
  const rows = []
  for (const [name, work] of Object.entries(WORK)) {
    const found = await interleave(
      { few: () => p50(few, work), lots: () => p50(lots, work) },
      { rounds: quick ? 6 : 20 },
    )
    rows.push(rowOf(label, { name, count, found }))
  }
  await few.close()
  await lots.close()
  return rows
}

function rowOf(label, { name, count, found }) {
  const about = { ours: time(median(found.lots)), peer: `100 tasks ${time(median(found.few))}` }
  const measured = ratio(found.lots, found.few)
  if (label !== '') return note('M1', `  ${name}, ${label}`, about.ours, { peer: about.peer, measured, kind: 'ratio' })
  const work = `${name} at ${count} tasks and ${AGENTS} agents, p50`
  return row({ id: 'M1', work, ...about, ratio: measured, target: '≤ 2 ×', limit: 2 })
}
