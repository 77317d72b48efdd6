/*
 * Six agents share tasks, a lock and handoffs in one session, and two of them are killed at random.
 *
 *   node team.mjs [TASKS]     ends with exit 0 when every task was done exactly once
 */
import { spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join, pause } from './session.mjs'

const AGENTS = ['ada', 'ben', 'cleo', 'dan', 'eve', 'finn']
const LONGEST_MS = 120_000
const count = Number(process.argv[2] ?? 24)
const name = `team-${process.pid}`
const random = (below) => Math.floor(Math.random() * below)

rmSync('ledger', { force: true })
const { session, ask, sure, close } = await join(name, 'human:lead')
await plan()
const running = new Map(AGENTS.map((agent) => [agent, start(agent)]))
const killed = []
const isDone = await watch()
await judge(isDone)
await close()

/** From the seventh on, each waits for one before it. */
async function plan() {
  for (let n = 1; n <= count; n++) {
    const needs = n > 6 ? [`task-${n - 6}`] : []
    await sure('task.add', { id: `task-${n}`, title: `part ${n}`, priority: ['high', 'medium', 'low'][n % 3], needs })
  }
}

function start(agent) {
  const program = new URL('agent.mjs', import.meta.url).pathname
  const child = spawn(process.execPath, [program, name, agent], { stdio: ['ignore', 'ignore', 'inherit'] })
  child.on('exit', () => running.delete(agent))
  return child
}

async function watch() {
  const until = Date.now() + LONGEST_MS
  const moments = [random(count / 3), random(count / 2)]
  while (Date.now() < until) {
    const tasks = await sure('task.list')
    const done = tasks.filter(({ status }) => status === 'completed').length
    if (done >= (moments[killed.length] ?? Infinity)) kill(tasks)
    if (done === count) return true
    await freeStranded(tasks)
    await pause(100)
  }
  return false
}

/** Somebody who has a task in hand, so that something is lost. */
function kill(tasks) {
  const held = tasks.filter(({ lease_until: until }) => until !== null).map(({ assignee }) => assignee)
  const busy = AGENTS.filter((agent) => running.has(agent) && held.includes(`agent:${agent}`))
  const agent = busy[random(busy.length)]
  if (agent === undefined) return
  running.get(agent).kill('SIGKILL')
  killed.push(agent)
  console.log(`killed ${agent} with SIGKILL`)
}

/** Claims and locks of the dead come back by themselves. A handoff to them, or one they did not make, is for the lead. */
async function freeStranded(tasks) {
  const here = new Set((await sure('agent.list')).map(({ id }) => id))
  const open = (await sure('handoff.list')).filter(({ status }) => status === 'pending' || status === 'acknowledged')
  for (const { id, assignee } of tasks.filter(({ status }) => status === 'review')) {
    const handoff = open.find(({ task_id: task }) => task === id)
    const waitsFor = handoff?.to_agent ?? assignee.replace('agent:', '')
    if (here.has(waitsFor) || here.size === 0) continue
    if (handoff !== undefined) await ask('handoff.reject', { id: handoff.id, reason: `${waitsFor} is gone` })
    const { kind } = await ask('task.retry', { task: id })
    if (kind === 'accepted') console.log(`${id} waited for ${waitsFor}, who is gone: anybody may take it`)
  }
}

async function judge(isDone) {
  for (const [, child] of running) if (!isDone) child.kill('SIGKILL')
  const times = new Map()
  let returned = 0
  for await (const { events } of session.commits({ after: 0 })) {
    for (const { type, data } of events) {
      if (type === 'task.completed') times.set(data.id, (times.get(data.id) ?? 0) + 1)
      if (type === 'task.returned') returned++
    }
  }
  const twice = [...times].filter(([, often]) => often !== 1)
  const ledger = readFileSync('ledger', 'utf8').trimEnd().split('\n')
  console.log(
    `${times.size} of ${count} tasks done; ${ledger.length} drafts, ${returned} claims returned, ${session.seq} commits`,
  )
  console.log(`killed: ${killed.join(', ')}`)
  const good = isDone && killed.length === 2 && times.size === count && twice.length === 0
  console.log(good ? 'every task was done exactly once' : `not done exactly once: ${JSON.stringify({ isDone, twice })}`)
  process.exitCode = good ? 0 : 1
}
