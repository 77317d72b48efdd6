/* The largest commit: what the owner of the workspace allows, and what the servers take. */
import { afterEach, describe, expect, test } from 'vitest'
import { openWorkspace } from '../../src/compose.ts'
import { hasNats, startNats, type Servers } from '../servers/nats.ts'

let servers: Servers | undefined
afterEach(() => servers?.stop())

describe.skipIf(!hasNats)('the largest commit in NATS', () => {
  test.each([
    ['of the settings, where the servers take more', 4096, 4096],
    ['of the servers, where the settings allow more', 16 * 1024 * 1024, 1024 * 1024],
  ])('is that %s', async (_what, commitBytes, most) => {
    servers = await startNats()
    const workspace = await openWorkspace({ dir: servers.url, create: true, settings: { commitBytes } })
    const session = await workspace.createSession({ name: 's' })
    const set = (bytes: number) => session.run('state.set', { path: '$.data.x', value: 'x'.repeat(bytes) })
    expect(await set(most - 3500)).toMatchObject({ kind: 'accepted' })
    const told = { kind: 'refused', code: 'VALUE_TOO_LARGE', hint: expect.stringContaining('max_payload') }
    expect(await set(most)).toMatchObject(told)
    await session.close()
    await workspace.close()
  })
})
