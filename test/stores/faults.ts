/* Writers and a consumer on one session of a store, while faults are done to it, and what came of it. */
import { verifySession } from '../../src/kernel/care/verify.ts'
import type { Log } from '../../src/kernel/ports.ts'
import { consume, keysIn, workspaceOn, write } from './writers.ts'

interface Trial {
  readonly name: string
  readonly open: () => Promise<{ readonly log: Log }>
  readonly writers: number
  /** Commits that the consumer sees before each fault, and behind the last. */
  readonly between: number
  /** The next one begins when the one before is over and commits are seen again. */
  readonly faults: readonly (() => Promise<void>)[]
}

const nap = () => new Promise((resolve) => setTimeout(resolve, 20))

export async function underFaults({ name, open, writers, between, faults }: Trial) {
  const opened = async () => workspaceOn((await open()).log)
  const first = await opened()
  const { id } = await first.createSession({ name: 'shared' })
  const hosts = await Promise.all(Array.from({ length: writers }, opened))
  const sessions = await Promise.all(hosts.map((host) => host.session(id)))
  const consumer = consume(await first.session(id))
  const outages: number[] = []
  let last = performance.now()
  let over = false
  const acknowledge = () => {
    const now = performance.now()
    if (outages.length > 0) outages.push(Math.max(outages.pop() ?? 0, now - last))
    last = now
  }
  const writing = write(sessions, () => over, acknowledge)
  const more = async () => {
    const from = consumer.seen.length
    while (consumer.seen.length < from + between) await nap()
  }
  for (const fault of faults) {
    await more()
    outages.push(0)
    await fault()
  }
  await more()
  over = true
  const { acknowledged, unsure } = await writing
  const again = await opened()
  const session = await again.session(id)
  const keys = await keysIn(session)
  while (consumer.seen.length < session.seq) await nap()
  await consumer.stop()
  const verified = await verifySession(again.kernel, id)
  const report = {
    id,
    lost: [...acknowledged].filter((key) => !keys.has(key)),
    twice: [...keys].filter(([, times]) => times > 1),
    skipped: wrongIn(consumer.seen, session.seq),
    verified,
  }
  process.stderr.write(
    `${name}: ${faults.length} faults under ${writers} writers, ${acknowledged.size} acknowledged, ${report.lost.length} lost, ${report.twice.length} twice, ${report.skipped.length} skipped by the consumer, ${unsure.size} unsure, ${verified.races} lost races in the log; outage per fault: ${outages.map((ms) => `${Math.round(ms)} ms`).join(', ')}\n`,
  )
  for (const failure of unsure.values()) process.stderr.write(`  ${String(failure)}\n`)
  await Promise.all([first, again, ...hosts].map((host) => host.close()))
  return report
}

/** Places at which the consumer did not see just the commit that stands there. */
function wrongIn(seen: readonly number[], end: number): readonly number[] {
  const all = Array.from({ length: Math.max(end, seen.length) }, (_, i) => i + 1)
  return all.filter((seq, i) => seq > end || seen[i] !== seq)
}
