/*
 * One agent of the team: node agent.mjs SESSION NAME
 *
 *   claim ──► draft ──► a line in the shared ledger, under its lock ──► submit ──► handoff to another, who completes the task
 *
 * It may be killed anywhere. Its lease runs out, what it held goes back, and somebody else does it; what it did for a claim
 * that is over is refused.
 */
import { appendFileSync } from 'node:fs'
import { join, pause } from './session.mjs'

const TTL = 3000
const [name, me] = process.argv.slice(2)
const { ask, sure, hold, close } = await join(name, `agent:${me}`)

const { token } = await sure('agent.register', { agent: me, type: 'worker', ttl_ms: TTL })
const heart = setInterval(() => void beat(), TTL / 6)
while (await isWork()) if (!(await review()) && !(await draft())) await pause(50)
clearInterval(heart)
await ask('agent.leave', { agent: me, token })
await close()

/** Without its lease an agent stops: somebody else has its work. */
async function beat() {
  const { code } = await ask('agent.heartbeat', { agent: me, token })
  if (code === 'LEASE_LOST') process.exit(6)
}

async function isWork() {
  return (await sure('task.list')).some(({ status }) => status !== 'completed')
}

async function draft() {
  const { value: claim } = await ask('task.claim', { any: true, ttl_ms: TTL })
  if (claim === undefined) return false
  const held = { task: claim.id, token: claim.token }
  await ask('task.start', held)
  await pause(100)
  await enter(`${claim.id} ${claim.token} ${me}`)
  const submitted = await ask('task.submit', held)
  if (submitted.kind === 'accepted') await handOver(claim.id)
  return true
}

/** One at a time writes into the ledger; half of the work is to keep it whole. */
async function enter(line) {
  const lock = await hold('ledger', TTL)
  for (const half of [line, '\n']) {
    appendFileSync('ledger', half)
    await pause(20)
  }
  await lock.release()
}

async function handOver(task) {
  const others = (await sure('agent.list')).filter(({ id }) => id !== me)
  const to = others[Math.floor(Math.random() * others.length)]?.id
  if (to === undefined) await ask('task.done', { task })
  else await ask('handoff.create', { to, task_id: task, next_steps: 'read it, then say that it is done' })
}

async function review() {
  const mine = (await sure('handoff.list', { agent: me })).filter(
    ({ to_agent: to, status }) => to === me && (status === 'pending' || status === 'acknowledged'),
  )
  for (const { id, task_id: task } of mine) {
    await ask('handoff.accept', { id })
    await pause(50)
    await ask('task.done', { task })
    await ask('handoff.complete', { id })
  }
  return mine.length > 0
}
