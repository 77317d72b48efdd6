import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openRunner, openWorkspace } from '../compose.ts'
import type { RunEvent, Runner, RunWorkflow } from '../kernel/runner.ts'

process.env['STEADFOLD_RETRY_SCALE'] = '0.01'

let dir: string
let workspace: Awaited<ReturnType<typeof openWorkspace>>
let runner: Runner
let events: RunEvent[]

beforeEach(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'steadfold-run-'))
  workspace = await openWorkspace({ dir, settings: { checkpoints: false } })
  runner = await openRunner(workspace)
  events = []
})

afterEach(async () => {
  await workspace.close()
  rmSync(dir, { recursive: true, force: true })
})

const run = (definition: unknown, more: Partial<RunWorkflow> = {}) => runner.runWorkflow({ definition, onEvent: (event) => events.push(event), ...more })
const effects = () => readFileSync(path.join(dir, 'effects'), 'utf8').trim().split('\n')
const effect = (name: string) => `echo ${name} >> effects`
const told = (type: RunEvent['type']) => events.filter((event) => event.type === type)
const session = async (name: string) => workspace.session(name)

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
    expect(first).toMatchObject({ status: 'completed', state: 'complete', code: undefined, steps: { ran: ['a', 'b', 'c'], reused: [] } })
    const second = await run(small)
    expect(second).toMatchObject({ status: 'completed', steps: { ran: [], reused: ['a', 'b', 'c'] } })
    expect(second.session.id).toBe(first.session.id)
    expect(effects()).toEqual(['a', 'b', 'c'])
  })

  test('an edit runs again only the step it touches', async () => {
    await run(small)
    const edited = structuredClone(small)
    edited.states.research.steps.b.run = effect('b2')
    expect(await run(edited)).toMatchObject({ steps: { ran: ['b'], reused: ['a', 'c'] } })
    expect(effects()).toEqual(['a', 'b', 'c', 'b2'])
  })

  test('a declared input is part of the key by its content', async () => {
    const definition = { name: 'inputs', states: { only: { steps: { count: { run: effect('counted'), inputs: ['*.txt'] } } } } }
    writeFileSync(path.join(dir, 'a.txt'), '1')
    await run(definition)
    await run(definition)
    writeFileSync(path.join(dir, 'a.txt'), '2')
    expect(await run(definition)).toMatchObject({ steps: { ran: ['count'] } })
    expect(effects()).toEqual(['counted', 'counted'])
  })

  test('outputs, tokens and cost are taken from the output file, and read by later steps', async () => {
    const definition = {
      name: 'outputs',
      states: {
        one: { steps: { plan: { run: 'printf "topic=auth\\ntokens=1200\\ncost_usd=0.5\\n" >> "$STEADFOLD_OUTPUT"' } } },
        two: { steps: { use: { run: 'echo "$TOPIC $STEADFOLD_STEP $STEADFOLD_ATTEMPT" > effects', reads: { TOPIC: 'plan.topic' } } } },
      },
    }
    const result = await run(definition)
    expect(effects()).toEqual(['auth use 1'])
    expect(result.spent).toMatchObject({ tokens: 1200, cost_usd: 0.5 })
    const opened = await session('outputs')
    expect(opened.get("$.outputs['plan.topic']")).toBe('auth')
    expect((await run(definition)).saved).toMatchObject({ tokens: 1200, cost_usd: 0.5 })
  })

  test('artifacts are hashed, and one that was not made is a failure', async () => {
    const definition = (run: string) => ({ name: 'made', states: { only: { steps: { make: { run, artifacts: ['out/report.md'] } } } } })
    expect(await run(definition('true'))).toMatchObject({ status: 'failed', code: 'STEP_FAILED', steps: { failed: ['make'] } })
    await run(definition('mkdir -p out; printf hello > out/report.md'))
    const opened = await session('made')
    const { value } = (await opened.run('step.show', { step: 'make' })) as { value: { record: { result: { artifacts: unknown } } } }
    expect(value.record.result.artifacts).toEqual([{ path: 'out/report.md', bytes: 5, sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824' }])
  })
})

describe('failures', () => {
  const flaky = (exit: number, more: object = {}) => ({
    name: 'flaky',
    states: { only: { steps: { flaky: { run: `${effect('tried')}; [ "$STEADFOLD_ATTEMPT" -ge 3 ] || exit ${exit}`, ...more } } } },
  })

  test('F3 a failure is tried again as often as retries say', async () => {
    expect(await run(flaky(1, { retries: 2 }))).toMatchObject({ status: 'completed', steps: { ran: ['flaky'] } })
    expect(effects()).toHaveLength(3)
    expect(told('step-failed')).toHaveLength(2)
  })

  test('F3 without retries it is not tried again, until somebody runs it again', async () => {
    expect(await run(flaky(1))).toMatchObject({ status: 'failed', steps: { failed: ['flaky'] } })
    expect(await run(flaky(1))).toMatchObject({ status: 'failed' })
    expect(effects()).toHaveLength(2)
  })

  test('F2 exit 75 asks to be run again', async () => {
    expect(await run(flaky(75))).toMatchObject({ status: 'completed' })
  })

  test('F1 T5 what the worker calls terminal is parked until it is released', async () => {
    const definition = { name: 'quota', states: { only: { steps: { ask: { run: 'test -e fixed || { echo STEADFOLD_FAILURE=terminal:quota >> "$STEADFOLD_OUTPUT"; exit 1; }', retries: 5 } } } } }
    expect(await run(definition)).toMatchObject({ status: 'needs-person', code: 'NEEDS_PERSON', steps: { parked: ['ask'] }, hint: 'steadfold step release ask' })
    expect(told('step-parked')).toMatchObject([{ reason: 'quota' }])
    writeFileSync(path.join(dir, 'fixed'), '')
    expect(await run(definition)).toMatchObject({ status: 'needs-person' })
    await (await session('quota')).run('step.release', { step: 'ask' })
    expect(await run(definition)).toMatchObject({ status: 'completed' })
  })

  test('a share below 1 lets the rest go on; what needs the failed one is skipped', async () => {
    const definition = {
      name: 'share',
      states: {
        research: { min_success: 0.5, steps: { good: { run: 'true' }, bad: { run: 'false' }, better: { run: 'true' }, after: { run: 'true', needs: ['bad'] } } },
        complete: {},
      },
    }
    expect(await run(definition)).toMatchObject({ status: 'partial', code: 'PARTIAL', state: 'complete', steps: { ran: ['good', 'better'], failed: ['bad'], skipped: ['after'] } })
  })

  test('on_failure leads to another state, and back only the failed runs again', async () => {
    const definition = {
      name: 'debugged',
      states: {
        test: { steps: { lint: { run: effect('lint') }, check: { run: 'test -e fixed' } }, next: ['complete'], on_failure: 'debug' },
        debug: { steps: { fix: { run: 'touch fixed' } }, next: ['test'] },
        complete: {},
      },
    }
    expect(await run(definition)).toMatchObject({ status: 'completed', state: 'complete', steps: { ran: ['fix', 'check'], reused: ['lint'] } })
    expect(effects()).toEqual(['lint'])
  })

  test('Z1 a step past its time is stopped with everything it started', async () => {
    const definition = { name: 'slow', states: { only: { steps: { slow: { run: `trap '' TERM; sleep 60 & sleep 60; echo no`, timeout: '100ms' } } } } }
    expect(await run(definition)).toMatchObject({ status: 'failed' })
    expect(told('step-stopping')).toMatchObject([{ signal: 'SIGTERM' }, { signal: 'SIGKILL' }])
    expect(told('step-failed')).toMatchObject([{ class: 'timeout' }])
  })

  test('the breaker of a family opens after three failures, and closes after two successes', async () => {
    const steps = Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`s${n}`, { run: ['sh', '-c', `[ -e fine ] || { [ $(wc -l < count) -ge 3 ] || { echo x >> count; exit 1; }; }`] }]))
    writeFileSync(path.join(dir, 'count'), '')
    const result = await run({ name: 'broken', states: { only: { min_success: 0, max_parallel: 1, steps } } })
    expect(result.steps).toMatchObject({ failed: ['s1', 's2', 's3'], ran: ['s4', 's5'] })
    expect(told('waiting')).toHaveLength(1)
    const types: string[] = []
    for await (const commit of (await session('broken')).commits()) types.push(...commit.events.map(({ type }) => type).filter((type) => type.includes('breaker')))
    expect(types).toEqual(['step.breaker-opened', 'step.breaker-closed'])
  })
})

describe('order', () => {
  test('stages run one after the other', async () => {
    const step = (name: string, stage: string) => ({ run: `sleep 0.0${name === 'g1' ? 9 : 1}; ${effect(name)}`, stage })
    const definition = { name: 'staged', states: { test: { mode: 'stages', steps: { g1: step('g1', 'generate'), e1: step('e1', 'execute'), g2: step('g2', 'generate') } } } }
    await run(definition)
    expect(effects()).toEqual(['g2', 'g1', 'e1'])
    expect(told('state-entered')).toMatchObject([{ waves: [['g1', 'g2'], ['e1']] }])
  })

  test('never more at once than allowed', async () => {
    const steps = Object.fromEntries([1, 2, 3, 4, 5, 6].map((n) => [`s${n}`, { run: `echo + >> effects; sleep 0.03; echo - >> effects` }]))
    await run({ name: 'many', states: { only: { steps, max_parallel: 5 } } }, { maxParallel: 2 })
    let most = 0
    effects().reduce((now, sign) => (most = Math.max(most, sign === '+' ? now + 1 : now - 1), sign === '+' ? now + 1 : now - 1), 0)
    expect(most).toBe(2)
  })

  test('a gate holds the state until it is released, by the next run or by one that waits', async () => {
    const definition = { name: 'gated', states: { plan: { steps: { plan: { run: effect('plan') } } }, build: { approval: true, steps: { build: { run: effect('build') } } } } }
    expect(await run(definition)).toMatchObject({ status: 'needs-person', state: 'build', hint: 'steadfold step release build:approval' })
    const waiting = run(definition, { wait: true })
    const opened = await session('gated')
    await opened.run('step.release', { step: 'build:approval' })
    expect(await waiting).toMatchObject({ status: 'completed' })
    expect(effects()).toEqual(['plan', 'build'])
  })
})

describe('one runner', () => {
  test('R1 a second one is refused while the first lives', async () => {
    const slow = { name: 'held', states: { only: { steps: { slow: { run: 'sleep 0.3' } } } } }
    const first = run(slow)
    while (told('step-started').length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    await expect(runner.runWorkflow({ definition: slow })).rejects.toMatchObject({ code: 'LEASE_HELD' })
    expect(await first).toMatchObject({ status: 'completed' })
  })

  test('a signal stops the workers; what they did not finish runs again', async () => {
    const stop = new AbortController()
    const definition = { name: 'stopped', states: { only: { steps: { quick: { run: effect('quick') }, slow: { run: 'test -e fast || exec sleep 60' } } } } }
    const stopped = run(definition, { signal: stop.signal })
    while (told('step-finished').length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    stop.abort()
    expect(await stopped).toMatchObject({ status: 'interrupted', steps: { ran: ['quick'] } })
    writeFileSync(path.join(dir, 'fast'), '')
    const resumed = await run(definition)
    expect(resumed).toMatchObject({ status: 'completed', resumed: { kept: ['quick'], to_run: ['slow'] }, steps: { ran: ['slow'] } })
    expect(effects()).toEqual(['quick'])
  })
})

describe('definitions', () => {
  test.each([
    ['a cycle', { states: { a: { steps: { x: { run: 'true', needs: ['y'] }, y: { run: 'true', needs: ['x'] } } } } }, 'WORKFLOW_CYCLE'],
    ['an unknown need', { states: { a: { steps: { x: { run: 'true', needs: ['nobody'] } } } } }, 'WORKFLOW_INVALID'],
    ['a misspelt member', { states: { a: { steps: { x: { run: 'true', need: [] } } } } }, 'WORKFLOW_INVALID'],
    ['no states', {}, 'WORKFLOW_INVALID'],
  ])('%s is refused', async (_, definition, code) => {
    await expect(run(definition)).rejects.toMatchObject({ code })
  })

  test('a file is refused with the place that is wrong', async () => {
    const file = path.join(dir, 'bad.workflow.yaml')
    writeFileSync(file, 'name: bad\nstates:\n  one:\n    steps:\n      x:\n        run: "true"\n        needs: [nobody]\n')
    await expect(runner.loadWorkflow(file)).rejects.toMatchObject({ code: 'WORKFLOW_INVALID', message: expect.stringContaining('bad.workflow.yaml:7:9') })
  })

  test('W4 what was stored is fit to be run again', async () => {
    await run({ ...small, states: { ...small.states, write: { steps: { c: { run: 'true', timeout: '5s', cost_hint: 2 } } } } })
    const opened = await session('small')
    expect(await run(opened.get('$.workflow.definition'))).toMatchObject({ steps: { ran: [], reused: ['a', 'b', 'c'] } })
    expect(opened.get('$.workflow.definition.states.write.steps.c.timeout_ms')).toBe(5000)
  })
})

describe('run -- CMD', () => {
  test('runs one command and tells what it writes', async () => {
    let text = ''
    const result = await runner.runCommand({ argv: ['sh', '-c', 'echo hello; exit 0'], follow: true, onEvent: (event) => { if (event.type === 'step-output') text += Buffer.from(event.bytes).toString() } })
    expect(result).toMatchObject({ status: 'completed', steps: { ran: ['sh'] } })
    expect(text).toBe('hello\n')
  })
})

describe('once', () => {
  const once = async (key: string, argv: readonly string[]) => {
    const opened = (await workspace.session('s').catch(() => undefined)) ?? (await workspace.createSession({ name: 's' }))
    let out = ''
    const result = await runner.once({ session: opened, key, argv, onOutput: (stream, bytes) => (out += `${stream}:${Buffer.from(bytes).toString()}`) })
    return { ...result, out }
  }

  test('U1 a success is replayed with what it wrote', async () => {
    const command = ['sh', '-c', 'echo x >> effects; echo out; echo err >&2']
    expect(await once('k', command)).toMatchObject({ kind: 'ran', exit: 0 })
    expect(await once('k', command)).toMatchObject({ kind: 'replayed', exit: 0, out: 'stdout:out\nstderr:err\n' })
    expect(effects()).toEqual(['x'])
  })

  test('U1 a failure is not kept', async () => {
    const command = ['sh', '-c', 'echo x >> effects; exit 3']
    expect(await once('k', command)).toMatchObject({ kind: 'ran', exit: 3 })
    expect(await once('k', command)).toMatchObject({ kind: 'ran', exit: 3 })
    expect(effects()).toHaveLength(2)
  })

  test('U2 two at once run it once', async () => {
    await workspace.createSession({ name: 's' })
    const command = ['sh', '-c', 'sleep 0.1; echo x >> effects; echo done']
    const kinds = (await Promise.all([once('k', command), once('k', command), once('k', command)])).map(({ kind }) => kind)
    expect(kinds.toSorted()).toEqual(['ran', 'waited', 'waited'])
    expect(effects()).toEqual(['x'])
  })

  test('U3 the same key with another command is refused', async () => {
    await once('k', ['true'])
    await expect(once('k', ['false'])).rejects.toMatchObject({ code: 'KEY_REUSED' })
  })
})
