import { mkdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { effect, held, projectForEachTest } from '../../test/runner/project.ts'

const project = projectForEachTest()
const { run, told } = project

const small = {
  name: 'small',
  states: {
    research: { steps: { a: { run: effect('a') }, b: { run: effect('b'), needs: ['a'] } } },
    write: { steps: { c: { run: ['sh', '-c', effect('c')], needs: ['b'] } } },
    complete: {},
  },
}

describe('a workflow', () => {
  test('R3 runs each step once, in the order of needs, and takes every result when run again', async () => {
    const first = await run(small)
    const steps = { ran: ['a', 'b', 'c'], reused: [] }
    expect(first).toMatchObject({ status: 'completed', state: 'complete', code: undefined, steps })
    const second = await run(small)
    expect(second).toMatchObject({ status: 'completed', steps: { ran: [], reused: ['a', 'b', 'c'] } })
    expect(second.session.id).toBe(first.session.id)
    expect(project.effects()).toEqual(['a', 'b', 'c'])
  })

  test('the session that a run makes is made by who asked for the run', async () => {
    const { session } = await run(small, { actor: 'agent:planner' })
    const actors = new Set<string>()
    for await (const { actor } of (await project.session(session.name)).commits({ after: 0 })) actors.add(actor)
    expect([...actors]).toEqual(['agent:planner'])
  })

  test('outputs, tokens and cost are taken from the output file, and read by later steps', async () => {
    const definition = {
      name: 'outputs',
      states: {
        one: { steps: { plan: { run: 'printf "topic=auth\\ntokens=1200\\ncost_usd=0.5\\n" >> "$STEADFOLD_OUTPUT"' } } },
        two: {
          steps: {
            use: { run: 'echo "$TOPIC $STEADFOLD_STEP $STEADFOLD_ATTEMPT" > effects', reads: { TOPIC: 'plan.topic' } },
          },
        },
      },
    }
    const result = await run(definition)
    expect(project.effects()).toEqual(['auth use 1'])
    expect(result.spent).toMatchObject({ tokens: 1200, cost_usd: 0.5 })
    const opened = await project.session('outputs')
    expect(opened.get("$.outputs['plan.topic']")).toBe('auth')
    expect((await run(definition)).saved).toMatchObject({ tokens: 1200, cost_usd: 0.5 })
  })

  test('artifacts are hashed, and one that was not made is a failure', async () => {
    const definition = (run: string) => ({
      name: 'made',
      states: { only: { steps: { make: { run, artifacts: ['out/report.md'] } } } },
    })
    expect(await run(definition('true'))).toMatchObject({
      status: 'failed',
      code: 'STEP_FAILED',
      steps: { failed: ['make'] },
    })
    await run(definition('mkdir -p out; printf hello > out/report.md'))
    const opened = await project.session('made')
    const { value } = (await opened.run('step.show', { step: 'make' })) as {
      value: { record: { result: { artifacts: unknown } } }
    }
    expect(value.record.result.artifacts).toEqual([
      { path: 'out/report.md', bytes: 5, sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824' },
    ])
  })
})

describe('order', () => {
  test('stages run one after the other', async () => {
    const step = (name: string, stage: string) => ({ run: `sleep 0.0${name === 'g1' ? 9 : 1}; ${effect(name)}`, stage })
    const definition = {
      name: 'staged',
      states: {
        test: {
          mode: 'stages',
          steps: { g1: step('g1', 'generate'), e1: step('e1', 'execute'), g2: step('g2', 'generate') },
        },
      },
    }
    await run(definition)
    expect(project.effects()).toHaveLength(3)
    expect(project.effects()[2]).toBe('e1')
    expect(told('state-entered')).toMatchObject([{ waves: [['g1', 'g2'], ['e1']] }])
  })

  test('never more at once than allowed', async () => {
    const second = 'until [ "$(grep -c + effects)" -gt 1 ]; do sleep 0.01; done'
    const steps = Object.fromEntries(
      [1, 2, 3, 4, 5, 6].map((n) => [`s${n}`, { run: `echo + >> effects; ${second}; sleep 0.03; echo - >> effects` }]),
    )
    await run({ name: 'many', states: { only: { steps, max_parallel: 5 } } }, { maxParallel: 2 })
    let most = 0
    project
      .effects()
      .reduce(
        (now, sign) => ((most = Math.max(most, sign === '+' ? now + 1 : now - 1)), sign === '+' ? now + 1 : now - 1),
        0,
      )
    expect(most).toBe(2)
  })

  test('a gate holds the state until it is released, by the next run or by one that waits', async () => {
    const definition = {
      name: 'gated',
      states: {
        plan: { steps: { plan: { run: effect('plan') } } },
        build: { approval: true, steps: { build: { run: effect('build') } } },
      },
    }
    expect(await run(definition)).toMatchObject({
      status: 'needs-person',
      state: 'build',
      hint: 'steadfold step release build:approval --session gated',
    })
    const waiting = run(definition, { wait: true })
    const opened = await project.session('gated')
    await opened.run('step.release', { step: 'build:approval' })
    expect(await waiting).toMatchObject({ status: 'completed' })
    expect(project.effects()).toEqual(['plan', 'build'])
  })
})

test('a gate that was passed while the run waited at it is not missing in the end', async () => {
  const definition = {
    name: 'waited',
    states: { plan: { steps: {} }, ship: { approval: true, steps: { ship: { run: effect('ship') } } } },
  }
  const waiting = run(definition, { wait: true })
  await project.heard('waiting')
  await (await project.session('waited')).run('step.release', { step: 'ship:approval' })
  expect(await waiting).toMatchObject({ status: 'completed', code: undefined, steps: { ran: ['ship'], parked: [] } })
})

test('a gate before the last state is passed by the next run', async () => {
  const definition = {
    name: 'last',
    states: { plan: { steps: { plan: { run: effect('plan') } } }, end: { approval: true } },
  }
  expect(await run(definition)).toMatchObject({ status: 'needs-person', state: 'end' })
  await (await project.session('last')).run('step.release', { step: 'end:approval' })
  expect(await run(definition)).toMatchObject({ status: 'completed', resumed: { kept: ['plan'] } })
  expect(project.effects()).toEqual(['plan'])
})

describe('one runner', () => {
  test('R1 a second one is refused while the first lives', async () => {
    const slow = { name: 'held', states: { only: { steps: { slow: { run: `${held}true` } } } } }
    const first = run(slow)
    await project.heard('step-started')
    await expect(project.runner.runWorkflow({ definition: slow })).rejects.toMatchObject({ code: 'LEASE_HELD' })
    project.release()
    expect(await first).toMatchObject({ status: 'completed' })
  })

  test('T6 one that lost its lease starts nothing more; what it had begun is recorded', async () => {
    const definition = {
      name: 'fenced',
      states: { only: { steps: { one: { run: `${held}true` }, two: { run: effect('two'), needs: ['one'] } } } },
    }
    const fenced = run(definition)
    await project.heard('step-started')
    const other = await project.session('fenced')
    const token = other.get('$.session.lease.token')
    await other.run('session.recover', { token, cause: 'crashed', evidence: ['a test says so'] })
    await other.run('session.acquire', {}, { actor: 'agent:other' })
    project.release()
    await expect(fenced).rejects.toMatchObject({ code: 'LEASE_LOST' })
    await other.refresh()
    expect(other.get('$.session.lease.holder')).toBe('agent:other')
    expect(
      (await other.run('step.list')).kind === 'accepted' && (await other.query('$.steps.ledger.*.status')),
    ).toEqual(['finished'])
    expect(() => project.effects()).toThrow('ENOENT')
  })

  test('a signal stops the workers; what they did not finish runs again', async () => {
    const stop = new AbortController()
    const definition = {
      name: 'stopped',
      states: { only: { steps: { quick: { run: effect('quick') }, slow: { run: 'test -e fast || exec sleep 60' } } } },
    }
    const stopped = run(definition, { signal: stop.signal })
    await project.heard('step-finished')
    stop.abort()
    expect(await stopped).toMatchObject({ status: 'interrupted', steps: { ran: ['quick'] } })
    project.write('fast', '')
    const resumed = await run(definition)
    expect(resumed).toMatchObject({
      status: 'completed',
      resumed: { kept: ['quick'], to_run: ['slow'] },
      steps: { ran: ['slow'] },
    })
    expect(project.effects()).toEqual(['quick'])
  })
})

describe('definitions', () => {
  test.each([
    [
      'a cycle',
      { states: { a: { steps: { x: { run: 'true', needs: ['y'] }, y: { run: 'true', needs: ['x'] } } } } },
      'WORKFLOW_CYCLE',
    ],
    ['an unknown need', { states: { a: { steps: { x: { run: 'true', needs: ['nobody'] } } } } }, 'WORKFLOW_INVALID'],
    ['a misspelt member', { states: { a: { steps: { x: { run: 'true', need: [] } } } } }, 'WORKFLOW_INVALID'],
    ['no states', {}, 'WORKFLOW_INVALID'],
  ])('%s is refused', async (_, definition, code) => {
    await expect(run(definition)).rejects.toMatchObject({ code })
  })

  test('a file is refused with the place that is wrong', async () => {
    const file = project.write(
      'bad.workflow.yaml',
      'name: bad\nstates:\n  one:\n    steps:\n      x:\n        run: "true"\n        needs: [nobody]\n',
    )
    await expect(project.runner.loadWorkflow(file)).rejects.toMatchObject({
      code: 'WORKFLOW_INVALID',
      message: expect.stringContaining('bad.workflow.yaml:7:9'),
    })
  })

  test('W4 what was stored is fit to be run again', async () => {
    await run({
      ...small,
      states: { ...small.states, write: { steps: { c: { run: 'true', timeout: '5s', cost_hint: 2 } } } },
    })
    const opened = await project.session('small')
    expect(await run(opened.get('$.workflow.definition'))).toMatchObject({
      steps: { ran: [], reused: ['a', 'b', 'c'] },
    })
    expect(opened.get('$.workflow.definition.states.write.steps.c.timeout_ms')).toBe(5000)
  })
})

describe('run -- CMD', () => {
  test('runs again when it is asked for again; the session of one that ended is over', async () => {
    const argv = ['sh', '-c', 'echo x >> effects']
    const [first, second] = [await project.runner.runCommand({ argv }), await project.runner.runCommand({ argv })]
    expect([first.status, second.status, first.session.id === second.session.id]).toEqual([
      'completed',
      'completed',
      false,
    ])
    expect((await project.session(first.session.id)).get('$.session.lifecycle.status')).toBe('terminated')
    expect(project.effects()).toEqual(['x', 'x'])
  })

  test('one that waits for a person goes on where it was', async () => {
    const argv = ['sh', '-c', '[ -e calm ] || exit 77']
    const first = await project.runner.runCommand({ argv })
    expect(first).toMatchObject({ status: 'needs-person', steps: { parked: ['sh'] } })
    project.write('calm', '')
    await (await project.session(first.session.id)).run('step.release', { step: 'sh' })
    expect(await project.runner.runCommand({ argv })).toMatchObject({ status: 'completed', session: first.session })
  })

  test('runs a program whose name is never stored', async () => {
    const argv = ['./constructor']
    expect(await project.runner.runCommand({ argv })).toMatchObject({ steps: { parked: ['command'] } })
  })

  test('runs one command and tells what it writes', async () => {
    let text = ''
    const result = await project.runner.runCommand({
      argv: ['sh', '-c', 'echo hello; exit 0'],
      follow: true,
      onEvent: (event) => {
        if (event.type === 'step-output') text += Buffer.from(event.bytes).toString()
      },
    })
    expect(result).toMatchObject({ status: 'completed', steps: { ran: ['sh'] } })
    expect(text).toBe('hello\n')
  })
})

test('steps are told where their workflow file lies, also when it is run again without the file', async () => {
  mkdirSync(project.file('flows'))
  const file = project.write(
    'flows/own.workflow.yaml',
    'name: own\nstates:\n  only:\n    steps:\n      one:\n        run: sh "$STEADFOLD_WORKFLOW_DIR/work.sh"\n',
  )
  project.write('flows/work.sh', 'exit 1')
  expect(await run(undefined, { file })).toMatchObject({ status: 'failed' })
  project.write('flows/work.sh', effect('beside'))
  const opened = await project.session('own')
  expect(await run(opened.get('$.workflow.definition'), { session: opened })).toMatchObject({ status: 'completed' })
  expect(project.effects()).toEqual(['beside'])
})
