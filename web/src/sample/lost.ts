import { DAY, SECOND, type Scene } from './play.ts'

const MAIN = 'agent:main'

/** Its holder died in the midst of the work: it held a lock, two tasks and the session. */
export async function loseHolder({ as, later }: Scene): Promise<void> {
  await as(MAIN, 'agent.register', { agent: 'main', type: 'writer', ttl_ms: DAY })
  for (const [id, title] of PAGES) await as(MAIN, 'task.add', { id, title, type: 'documentation' })
  await as(MAIN, 'state.set', { path: 'data.pages', value: PAGES.map(([, title]) => title) })
  await as(MAIN, 'lock.acquire', { resource: 'docs/api.md', ttl_ms: DAY, reason: 'rewriting' })
  await as(MAIN, 'task.claim', { task: 'task-api', ttl_ms: DAY })
  await as(MAIN, 'session.acquire', { ttl_ms: 1 })
  later(60 * SECOND)
}

const PAGES = [
  ['task-api', 'Refresh the page on the API'],
  ['task-faq', 'Answer the three questions that come most'],
] as const
