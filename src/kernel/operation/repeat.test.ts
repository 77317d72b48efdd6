/* L7: the first answer again is that answer, whatever else stands in its commit. */
import { expect, test } from 'vitest'
import { fixedHost } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Kernel } from '../kernel.ts'

/** A session in which a lock is over, and nobody has said so yet. */
async function begin() {
  const host = fixedHost()
  const kernel: Kernel = { ...memoryKernel({ checkpoints: false }), host }
  const workspace = makeWorkspace(kernel)
  const session = await workspace.createSession({ name: 'test' })
  await session.run('lock.acquire', { resource: 'db', ttl_ms: 1000 }, { actor: 'agent:a' })
  await session.run('lock.acquire', { resource: 'db', ttl_ms: 60_000, wait_ms: 60_000 }, { actor: 'agent:b' })
  host.advance(5000)
  return { kernel, workspace, session }
}

const SECRET = `ghp_${'a1B2'.repeat(9)}`

test.each([
  ['what time had brought about before', 'message.send', { to: ['agent:b'], payload: 'hello' }],
  ['what another was given before', 'lock.acquire', { resource: 'db', wait_ms: 60_000 }],
  ['what a lease came to', 'session.acquire', { ttl_ms: 60_000 }],
  ['what was taken out of it', 'message.send', { to: ['agent:b'], payload: `the key is ${SECRET}` }],
  ['all that it tells', 'session.tick', {}],
] as const)('L7 beside %s: %s', async (_, name, input) => {
  const { workspace, session } = await begin()
  const options = { actor: 'agent:c', key: 'k' }
  const first = await session.run(name, input, options)
  expect(first.kind).toBe('accepted')
  // In the commit stands more than what was answered.
  for await (const { events, own } of session.commits({ after: session.seq - 1, live: false })) {
    expect(events.length).toBeGreaterThan(1)
    // It says which they are, but where all of them were.
    expect(own === undefined).toBe(name === 'session.tick')
  }
  const again = { ...first, repeated: true }
  expect(await session.run(name, input, options)).toEqual(again)
  await session.close()
  const anew = await workspace.session('test')
  expect(await anew.run(name, input, options)).toEqual(again)
})
