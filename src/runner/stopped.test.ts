import { expect, test } from 'vitest'
import { effect, projectForEachTest } from '../../test/runner/project.ts'

const project = projectForEachTest()

const argv = ['sh', '-c', effect('command')]
const definition = { name: 'small', states: { one: { steps: { a: { run: effect('a') } } }, two: {} } }

async function names(): Promise<readonly unknown[]> {
  const found: unknown[] = []
  for await (const session of project.workspace.sessions()) found.push(session.get('$.session.name'))
  return found
}

test('who is stopped before it begins begins nothing, writes nothing, and hears why', async () => {
  const signal = AbortSignal.abort(new Error('enough'))
  await project.run(definition)
  const session = await project.session('small')
  const { seq } = session
  const asked = [
    project.runner.runWorkflow({ definition, signal }),
    project.runner.runWorkflow({ definition: { ...definition, name: 'other' }, signal }),
    project.runner.runCommand({ argv, signal }),
    project.runner.takeSteps({ session, signal }),
    project.runner.once({ session, key: 'k', argv, signal }),
  ]
  for (const each of asked) await expect(each).rejects.toThrow('enough')
  await session.refresh()
  expect([session.seq, await names(), project.effects()]).toEqual([seq, ['small'], ['a']])
  expect(session.get('$.workflow.current')).toBe('two')
})

test('a signal that gives no reason is told of all the same', async () => {
  const signal = { aborted: true, addEventListener: () => undefined } as unknown as AbortSignal
  await expect(project.runner.runCommand({ argv, signal })).rejects.toMatchObject({ name: 'AbortError' })
})

test.each([
  ['a gate', { one: { approval: true, steps: { a: { run: 'true' } } } }],
  ['a parked step', { one: { steps: { a: { run: '/no/such/program' } } } }],
])('who waits for a person at %s and is stopped was interrupted', async (_, states) => {
  const stop = new AbortController()
  const ended = project.run({ name: 'waits', states }, { wait: true, signal: stop.signal })
  await project.heard('waiting')
  stop.abort()
  expect(await ended).toMatchObject({
    status: 'interrupted',
    code: undefined,
    state: 'one',
    hint: 'run it again to go on',
  })
  expect(await project.run({ name: 'waits', states })).toMatchObject({ status: 'needs-person', code: 'NEEDS_PERSON' })
})
