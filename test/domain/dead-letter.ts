import { begin } from './begin.ts'

/** A message to `a` that lives for two seconds, and was given back more often than it may be. */
export async function deadLetter() {
  const { host, session } = await begin()
  await session.run('message.send', { to: ['a'], payload: 'hello', ttl_ms: 2000, max_deliveries: 1 })
  const received = await session.run('message.receive', { agent: 'a' })
  const [{ id, token }] = received.kind === 'accepted' ? (received.value as [{ id: string; token: number }]) : [{}]
  await session.run('message.return', { id, token, agent: 'a' })
  return { host, session, id }
}
