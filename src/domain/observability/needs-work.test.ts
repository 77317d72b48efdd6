/* What paid work and the workflow around it need. */
import { expect, test } from 'vitest'
import { fixedHost } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Need, Seen } from '../../kernel/care/inbox.ts'
import { glance } from './inbox.ts'

/** As long as the key of a step is. */
const KEY = 'a'.repeat(64)

async function begin() {
  const host = fixedHost()
  const session = await makeWorkspace({ ...memoryKernel({ checkpoints: false }), host }).createSession({ name: 'one' })
  const run = async (name: string, input: object) => {
    const answer = await session.run(name, input, { actor: 'human:ana' })
    if (answer.kind === 'refused') throw new Error(`${name}: ${answer.message}`)
    return answer
  }
  const needs = async (lost?: Seen['lost']): Promise<readonly Need[]> => {
    const { id, seq, updatedAt } = session
    const state = await session.stateAt()
    return glance({ id, seq, updated_at: updatedAt, state, damaged: false, lost }, host.now()).needs
  }
  return { run, needs }
}

test('the failure of a state is told, whatever else failed; not twice where a step of it says so', async () => {
  const { run, needs } = await begin()
  const fails = async (key: string, name: string, state: string | null) => {
    const { seq: token } = await run('step.start', { key, name, state, command: 'x' })
    await run('step.fail', { key, token, class: 'transient', reason: 'exit 1' })
  }
  await fails(KEY, 'lint', null)
  await run('workflow.fail', { reason: 'no database', class: 'terminal' })
  const whats = async () => (await needs()).map(({ kind, what }) => `${kind} ${what}`)
  expect(await whats()).toEqual(['FAILED step lint', 'FAILED state initialize'])
  await fails('b'.repeat(64), 'build', 'initialize')
  expect(await whats()).toEqual(['FAILED step lint', 'FAILED step build'])
})

test('work outside the workflow that has the name of a step is gone on with by its key', async () => {
  const { run, needs } = await begin()
  const { seq: step } = await run('step.start', { key: KEY, name: 'build', state: 'initialize', command: 'x' })
  await run('step.finish', { key: KEY, token: step, exit: 0 })
  const key = 'b'.repeat(64)
  const { seq: token } = await run('step.start', { key, name: 'build', command: 'x' })
  await run('step.fail', { key, token, class: 'transient', reason: 'exit 1' })
  const [need] = await needs()
  expect(need).toMatchObject({ kind: 'FAILED', next: expect.stringContaining('step retry bbbbbbbbbbbb') })
  await run('step.retry', { step: 'bbbbbbbbbbbb' })
})

test.each([
  ['transient', ['UNFINISHED']],
  ['terminal', ['UNFINISHED', 'PARKED']],
])(
  'I2 the command of a transition that is over needs nobody: nothing would run it again (%s)',
  async (kind, meanwhile) => {
    const { run, needs } = await begin()
    const { seq } = await run('workflow.transition', { to: 'research', begin: true })
    const step = { key: KEY, name: `research:handler@${seq}`, state: null }
    const { seq: token } = await run('step.start', { ...step, command: 'x' })
    await run('step.fail', { key: KEY, token, class: kind, reason: 'exit 1' })
    expect((await needs()).map((need) => need.kind)).toEqual(meanwhile)
    await run('workflow.transition', { abandon: true })
    expect(await needs()).toEqual([])
  },
)

test('I2 a killed once that may be repeated goes on as one that may', async () => {
  const { run, needs } = await begin()
  await run('step.start', { key: KEY, name: 'pay', state: null, command: ['./pay.sh'], repeatable: true })
  const lost = { evidence: ['pid 7 not running'], return: ['step pay'] } as unknown as NonNullable<Seen['lost']>
  expect(await needs(lost)).toContainEqual(
    expect.objectContaining({
      kind: 'STOPPED',
      next: expect.stringMatching(/ --repeatable -- \.\/pay\.sh$/) as unknown,
    }),
  )
})

test('I2 a transition whose command has not succeeded goes on with it, and one whose command has without', async () => {
  const { run, needs } = await begin()
  const next = async () => (await needs()).map((need) => need.next)
  const { seq } = await run('workflow.transition', { to: 'research', begin: true })
  const name = `research:handler@${seq}`
  const { seq: token } = await run('step.start', { key: KEY, name, state: null, command: ['sh', '-c', 'sleep 9'] })
  const [told = ''] = await next()
  expect(told).toMatch(/^steadfold workflow transition research --resume --session \S+ -- sh -c 'sleep 9'$/)
  const lost = { evidence: ['pid 7 not running'], return: [`step ${name}`] } as unknown as NonNullable<Seen['lost']>
  expect((await needs(lost)).map(({ kind }) => kind)).not.toContain('STOPPED')
  await run('step.finish', { key: KEY, token, exit: 0 })
  expect(await next()).toEqual([told.replace(/ -- .*/, '')])
})

test('I2 work that only a person may try again says so', async () => {
  const { run, needs } = await begin()
  const next = async () => (await needs()).map((need) => need.next.replace(/ --session \S+/, ''))
  await run('workflow.fail', { reason: 'no database', class: 'transient' })
  expect(await next()).toEqual(['steadfold workflow retry'])
  await run('workflow.fail', { reason: 'no database', class: 'terminal' })
  expect(await next()).toEqual(['steadfold workflow retry --approve'])
})

test('I2 a step that was released, or a gate that was passed, while nobody runs the workflow is to be run', async () => {
  const { run, needs } = await begin()
  const whats = async () => (await needs()).map(({ kind, what, why, next }) => [kind, what, why, next])
  const states = { initialize: { approval: true, steps: { lint: { run: 'x' } } }, done: {} }
  await run('workflow.define', { definition: { name: 'gated', states } })
  await run('step.gate', { key: KEY, name: 'initialize:approval', state: 'initialize', reason: 'approve' })
  await run('step.release', { step: 'initialize:approval' })
  const next = expect.stringContaining('steadfold run') as unknown
  expect(await whats()).toEqual([['STOPPED', 'initialize:approval', 'released, nobody runs it', next]])
  const { seq: token } = await run('step.start', {
    key: 'b'.repeat(64),
    name: 'lint',
    state: 'initialize',
    command: 'x',
  })
  await run('step.fail', { key: 'b'.repeat(64), token, class: 'terminal', reason: 'quota' })
  expect((await whats()).map(([kind]) => kind)).toEqual(['PARKED'])
  await run('step.release', { step: 'lint' })
  expect(await whats()).toEqual([['STOPPED', 'lint', 'released, nobody runs it', next]])
})

test('I2 a run that was lost between two steps is to be run, until the workflow has come to its end', async () => {
  const { run, needs } = await begin()
  const whats = async () => (await needs()).map(({ kind, what, why, next }) => [kind, what, why, next])
  const states = { initialize: { steps: { lint: { run: 'x' }, test: { run: 'y' } } }, done: {} }
  await run('workflow.define', { definition: { name: 'cut', states } })
  const { seq: lease } = await run('session.acquire', { ttl_ms: 60_000 })
  const step = { key: KEY, name: 'lint', state: 'initialize', command: 'x' }
  const { seq: token } = await run('step.start', { ...step, lease })
  await run('step.finish', { key: KEY, token, exit: 0 })
  expect(await needs()).toEqual([])
  await run('session.release', { token: lease })
  const next = expect.stringMatching(/^steadfold run --session \S+$/) as unknown
  expect(await whats()).toEqual([['STOPPED', 'state initialize', 'nobody runs it', next]])
  await run('session.suspend', {})
  expect((await needs()).map(({ kind }) => kind)).not.toContain('STOPPED')
  await run('session.resume', {})
  await run('workflow.transition', { to: 'done' })
  expect(await needs()).toEqual([])
})

test('I2 a gate that was passed is no work any more once the workflow has come to its end', async () => {
  const { run, needs } = await begin()
  await run('workflow.define', { definition: { name: 'gated', states: { initialize: { approval: true } } } })
  await run('step.gate', { key: KEY, name: 'initialize:approval', state: 'initialize', reason: 'approve' })
  await run('step.release', { step: 'initialize:approval' })
  expect((await needs()).map(({ kind }) => kind)).toEqual(['STOPPED'])
  await run('workflow.complete', {})
  expect(await needs()).toEqual([])
})

test('I2 a gate needs nobody once the workflow has left its state: it is asked anew on the next way in', async () => {
  const { run, needs } = await begin()
  await run('workflow.transition', { to: 'research' })
  await run('step.gate', { key: KEY, name: 'research:approval', state: 'research', reason: 'approve' })
  expect((await needs()).map(({ kind }) => kind)).toEqual(['GATE'])
  await run('workflow.transition', { to: 'plan' })
  expect(await needs()).toEqual([])
})

test('I2 a gate that was not passed needs nobody once the workflow is completed', async () => {
  const { run, needs } = await begin()
  await run('workflow.define', { definition: { name: 'short', states: { end: { approval: true } } } })
  await run('step.gate', { key: KEY, name: 'end:approval', state: 'end', reason: 'approve' })
  await run('workflow.complete', {})
  expect(await needs()).toEqual([])
})

test('I2 a parked step needs nobody once the workflow has left its state, unless a step there needs it', async () => {
  const { run, needs } = await begin()
  const states = {
    build: { steps: { lib: { run: 'x' }, docs: { run: 'x' } } },
    test: { steps: { unit: { run: 'x', needs: ['lib'] } } },
    end: {},
  }
  await run('workflow.define', { definition: { name: 'left', states } })
  const park = async (key: string, name: string) => {
    const { seq: token } = await run('step.start', { key, name, state: 'build', command: 'x' })
    await run('step.fail', { key, token, class: 'terminal', reason: 'quota' })
  }
  await park(KEY, 'lib')
  await park('b'.repeat(64), 'docs')
  const whats = async () => (await needs()).map(({ kind, what }) => `${kind} ${what}`)
  expect(await whats()).toEqual(['PARKED step lib', 'PARKED step docs'])
  await run('workflow.transition', { to: 'test' })
  expect(await whats()).toEqual(['PARKED step lib'])
  await run('workflow.transition', { to: 'end' })
  expect(await whats()).toEqual([])
})
