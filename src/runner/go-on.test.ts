import { expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../compose.ts'
import { deadOnces } from './go-on.ts'

const runner = { host: 'h', boot_id: 'b', pid_namespace: 'pid:[1]', pid: 7, started: '1' }

test('the command of a transition that is over is not lost, as nothing goes on with it', async () => {
  const workspace = makeWorkspace(memoryKernel({ checkpoints: false }))
  const session = await workspace.createSession({ name: 'test' })
  const dead = async () =>
    deadOnces(await session.stateAt(), () => ({ kind: 'dead', reasons: [] })).map(({ record }) => record.name)
  const start = (name: string, key: string) =>
    session.step.start({ key, name, state: null, command: ['sleep', '9'], worker: { dir: 'w', runner, pid: 8 } })
  const begun = await session.workflow.transition({ to: 'research', begin: true })
  const seq = begun.kind === 'accepted' ? begun.seq : 0
  await start(`research:handler@${seq}`, 'a'.repeat(64))
  await start('pay', 'b'.repeat(64))
  expect(await dead()).toEqual(['pay'])
  await session.workflow.transition({ to: 'research', resume: true })
  expect(await dead()).toEqual(['pay'])
})
