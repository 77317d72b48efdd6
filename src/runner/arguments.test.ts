import { expect, test } from 'vitest'
import { memoryKernel, makeWorkspace } from '../compose.ts'
import type { Runner } from '../kernel/work/runner.ts'
import { checked } from './arguments.ts'

/** Nothing may come through. */
const nobody = (): never => {
  throw new Error('it was asked')
}
const runner = checked({
  runWorkflow: nobody,
  takeSteps: nobody,
  runCommand: nobody,
  once: nobody,
  loadWorkflow: nobody,
}) as unknown as Readonly<Record<keyof Runner, (options: unknown) => Promise<unknown>>>

const no = { code: 'INPUT_INVALID', hint: expect.any(String) }
const definition = { name: 'small', states: { one: { steps: { a: { run: 'true' } } } } }

test.each([
  { maxParallel: 0 },
  { maxParallel: -1 },
  { maxParallel: 1.5 },
  { maxParallel: '8' },
  { maxparallel: 8 },
  { session: {} },
  { actor: 'bob' },
  { onEvent: 5 },
  { signal: 5 },
  { lease_ms: 0 },
  { file: 5 },
])('a run that cannot be meant does not begin: %j', async (options) => {
  await expect(runner.runWorkflow({ definition, ...options })).rejects.toMatchObject(no)
})

test('a workflow is a file, a definition, or that of a session, and not two of them', async () => {
  for (const options of [{}, { file: undefined, definition: undefined, wait: true }])
    await expect(runner.runWorkflow(options)).rejects.toMatchObject({
      ...no,
      message: 'runWorkflow: file, definition or session missing',
    })
  await expect(runner.runWorkflow({ file: 'a.yaml', definition })).rejects.toMatchObject({
    ...no,
    message: 'runWorkflow: file and definition are two workflows',
  })
})

test.each([undefined, null, 5, '', [], {}])('%j is nothing to run', async (options) => {
  const runs = [runner.takeSteps(options), runner.runCommand(options), runner.once(options)]
  for (const run of runs) await expect(run).rejects.toMatchObject(no)
})

test.each([{ argv: 'ls' }, { argv: [] }, { argv: [5] }, { key: 5 }, { timeout_ms: -1 }, { onOutput: 5 }])(
  'a command that cannot be meant is not run: %j',
  async (options) => {
    const session = await makeWorkspace(memoryKernel({ checkpoints: false })).createSession({ name: 'test' })
    await expect(runner.once({ session, key: 'k', argv: ['true'], ...options })).rejects.toMatchObject(no)
  },
)
