import { expect, test } from 'vitest'
import { filesLog } from '../../test/conformance/kit.ts'
import { makeKernel, makeWorkspace } from '../compose.ts'

test('a session is put away as it stands by now: another process had ended it, and had given it another name', async () => {
  const { log } = await filesLog()
  const workspace = makeWorkspace(makeKernel({ log, settings: { checkpoints: false } }))
  const session = await workspace.createSession({ name: 'before' })
  const other = await workspace.session('before')
  await other.session.rename({ name: 'after' })
  await other.session.end({})
  await workspace.archive(session)
  const next = await workspace.createSession({ name: 'after' })
  expect(next.id).not.toBe(session.id)
  await workspace.close()
})
