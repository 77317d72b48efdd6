import { expect, test } from 'vitest'
import { effect, projectForEachTest } from '../../test/runner/project.ts'
import { openRunner, openWorkspace } from '../compose.ts'
import { EngineError } from '../kernel/error.ts'

const project = projectForEachTest()

/** Goes on once the file is there. */
const until = (file: string) => `while [ ! -e ${file} ]; do sleep 0.05; done`
const first = { run: `${effect('begun')}; ${until('go')}; ${effect('first')}` }
const gated = { name: 'gated', states: { only: { steps: { first, last: { run: effect('last'), needs: ['first'] } } } } }
const argv = ['sh', '-c', `echo begun; ${until('go')}; ${effect('once')}`]

const codeOf = (error: unknown) => (error instanceof EngineError ? error.code : error)

async function later() {
  const workspace = await openWorkspace({ dir: project.file('.'), settings: { checkpoints: false } })
  return { workspace, runner: await openRunner(workspace) }
}

test('L3 a workspace that is closed under a run gives its session back, and the next run adopts its worker', async () => {
  const ended = project.run(gated, { lease_ms: 3_600_000 }).catch(codeOf)
  await project.left(1)
  await project.workspace.close()
  expect(await ended).toBe('CLOSED')
  const { workspace, runner } = await later()
  const again = await runner.runWorkflow({
    definition: gated,
    onEvent: ({ type }) => type === 'step-adopted' && project.write('go', ''),
  })
  expect(again).toMatchObject({ status: 'completed', resumed: { adopted: ['first'] } })
  expect(project.effects()).toEqual(['begun', 'first', 'last'])
  await workspace.close()
})

test('U5 a session that is closed under a command leaves it at work, and who asks next gets what it did', async () => {
  const session = await project.workspace.createSession({ name: 's' })
  let ended: Promise<unknown> | undefined
  await new Promise<void>((begun) => {
    ended = project.runner.once({ session, key: 'k', argv, onOutput: () => begun() }).catch(codeOf)
  })
  await project.workspace.close()
  expect(await ended).toBe('CLOSED')
  const { workspace, runner } = await later()
  project.write('go', '')
  expect(await runner.once({ session: 's', key: 'k', argv })).toMatchObject({ exit: 0 })
  expect(project.effects()).toEqual(['once'])
  await workspace.close()
})

test('who waits at a gate of a session that has ended waits no longer, however long the lease', async () => {
  const definition = { name: 'over', states: { ship: { approval: true, steps: { ship: { run: effect('ship') } } } } }
  const waiting = project.run(definition, { wait: true, lease_ms: 3_600_000 })
  await project.heard('waiting')
  const session = await project.session('over')
  const ended = waiting.catch((error: unknown) => error)
  await session.run('session.end', {})
  expect(await ended).toMatchObject({ code: 'SESSION_NOT_WRITABLE' })
})
