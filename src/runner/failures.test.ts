import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { effect, projectForEachTest } from '../../test/runner/project.ts'

const project = projectForEachTest()
const { run, told } = project

const flaky = (exit: number, more: object = {}) => ({
  name: 'flaky',
  states: {
    only: {
      steps: { flaky: { run: `${effect('tried')}; [ "$STEADFOLD_ATTEMPT" -ge 3 ] || exit ${exit}`, ...more } },
    },
  },
})

test('F3 a failure is tried again as often as retries say', async () => {
  expect(await run(flaky(1, { retries: 2 }))).toMatchObject({ status: 'completed', steps: { ran: ['flaky'] } })
  expect(project.effects()).toHaveLength(3)
  expect(told('step-failed')).toHaveLength(2)
})

test('D4 the log says of a failure whether it is tried again', async () => {
  const never = { name: 'never', states: { only: { steps: { never: { run: 'exit 1', retries: 1 } } } } }
  expect(await run(never)).toMatchObject({ status: 'failed' })
  const session = await project.session('never')
  const said: unknown[] = []
  for await (const { events } of session.commits())
    for (const { type, data } of events)
      if (type === 'step.failed') said.push((data as { readonly again?: boolean }).again)
  expect(said).toEqual([true, undefined])
})

test('F3 without retries it is not tried again, until somebody runs it again', async () => {
  expect(await run(flaky(1))).toMatchObject({ status: 'failed', steps: { failed: ['flaky'] } })
  expect(await run(flaky(1))).toMatchObject({ status: 'failed' })
  expect(project.effects()).toHaveLength(2)
})

test('F2 exit 75 asks to be run again', async () => {
  expect(await run(flaky(75))).toMatchObject({ status: 'completed' })
})

test('F1 T5 what the worker calls terminal is parked until it is released', async () => {
  const definition = {
    name: 'quota',
    states: {
      only: {
        steps: {
          ask: {
            run: 'test -e fixed || { echo STEADFOLD_FAILURE=terminal:quota >> "$STEADFOLD_OUTPUT"; exit 1; }',
            retries: 5,
          },
        },
      },
    },
  }
  expect(await run(definition)).toMatchObject({
    status: 'needs-person',
    code: 'NEEDS_PERSON',
    steps: { parked: ['ask'] },
    hint: 'steadfold step release ask --session quota',
  })
  expect(told('step-parked')).toMatchObject([{ reason: 'quota' }])
  project.write('fixed', '')
  expect(await run(definition)).toMatchObject({ status: 'needs-person' })
  await (await project.session('quota')).run('step.release', { step: 'ask' })
  expect(await run(definition)).toMatchObject({ status: 'completed' })
})

test('a share below 1 lets the rest go on; what needs the failed one is skipped', async () => {
  const definition = {
    name: 'share',
    states: {
      research: {
        min_success: 0.5,
        steps: {
          good: { run: 'true' },
          bad: { run: 'false' },
          better: { run: 'true' },
          after: { run: 'true', needs: ['bad'] },
        },
      },
      complete: {},
    },
  }
  expect(await run(definition)).toMatchObject({
    status: 'partial',
    code: 'PARTIAL',
    state: 'complete',
    steps: { ran: expect.arrayContaining(['good', 'better']), failed: ['bad'], skipped: ['after'] },
  })
})

test('on_failure leads to another state, and back only the failed runs again', async () => {
  const definition = {
    name: 'debugged',
    states: {
      test: {
        steps: { lint: { run: effect('lint') }, check: { run: 'test -e fixed' } },
        next: ['complete'],
        on_failure: 'debug',
      },
      debug: { steps: { fix: { run: 'touch fixed' } }, next: ['test'] },
      complete: {},
    },
  }
  expect(await run(definition)).toMatchObject({
    status: 'completed',
    state: 'complete',
    steps: { ran: ['fix', 'check'], reused: ['lint'] },
  })
  expect(project.effects()).toEqual(['lint'])
})

test('Z1 a step past its time is stopped with everything it started', async () => {
  const definition = {
    name: 'slow',
    states: { only: { steps: { slow: { run: `trap '' TERM; sleep 60 & sleep 60; echo no`, timeout: '3s' } } } },
  }
  expect(await run(definition)).toMatchObject({ status: 'failed' })
  expect(told('step-stopping')).toMatchObject([{ signal: 'SIGTERM' }, { signal: 'SIGKILL' }])
  expect(told('step-failed')).toMatchObject([
    { class: 'timeout', reason: expect.stringMatching(/^stopped at its timeout of 3s, after \d/) as unknown },
  ])
})

test('the breaker of a family opens after three failures, and closes after two successes', async () => {
  const steps = Object.fromEntries(
    [1, 2, 3, 4, 5].map((n) => [
      `s${n}`,
      { run: ['sh', '-c', `[ -e fine ] || { [ $(wc -l < count) -ge 3 ] || { echo x >> count; exit 1; }; }`] },
    ]),
  )
  project.write('count', '')
  const result = await run({ name: 'broken', states: { only: { min_success: 0, max_parallel: 1, steps } } })
  expect(result.steps).toMatchObject({ failed: ['s1', 's2', 's3'], ran: ['s4', 's5'] })
  expect(told('waiting').length).toBeLessThan(2)
  const types: string[] = []
  let closed = 0
  for await (const { at, events } of (await project.session('broken')).commits()) {
    for (const { type, data } of events) {
      if (type.includes('breaker')) types.push(type)
      if (type === 'step.breaker-opened') closed = (data as { readonly until: number }).until
      if (type === 'step.started') expect(Date.parse(at)).toBeGreaterThanOrEqual(closed)
    }
  }
  expect(types).toEqual(['step.breaker-opened', 'step.breaker-closed'])
  expect(closed).not.toBe(0)
})

test('T4 a worker that vanished runs again if it may, else waits for a person', async () => {
  const vanish = (repeatable: boolean) => ({
    name: 'vanish',
    states: { only: { steps: { gone: { run: '[ -e calm ] || { touch calm; kill -9 $PPID; }', repeatable } } } },
  })
  expect(await run(vanish(false))).toMatchObject({ status: 'needs-person', steps: { parked: ['gone'] } })
  rmSync(project.file('calm'))
  await (await project.session('vanish')).run('step.release', { step: 'gone' })
  expect(await run(vanish(true))).toMatchObject({ status: 'completed', steps: { ran: ['gone'] } })
})

test.each([
  ['step-parked', 'exit 64', 'step.release'],
  ['step-failed', 'exit 1', 'step.retry'],
] as const)(
  'D6 after %s (%s), %s counts while the run goes on: with what needs the step it runs',
  async (heard, end, then) => {
    const steps = {
      late: { run: `[ -e fine ] || ${end}` },
      last: { run: 'touch go', needs: ['late'] },
      long: { run: 'for i in $(seq 500); do [ -e go ] && exit 0; sleep 0.1; done; exit 1' },
    }
    const running = run({ name: 'again', states: { only: { steps } } })
    await project.heard(heard)
    project.write('fine', '')
    const session = await project.session('again')
    expect(await session.run(then, { step: 'late' })).toMatchObject({ kind: 'accepted' })
    expect(await running).toMatchObject({
      status: 'completed',
      steps: { ran: expect.arrayContaining(['late', 'last', 'long']), parked: [], failed: [], skipped: [] },
    })
  },
)

test('a message names the first of many steps that did not run, and how many more there are; the result has all', async () => {
  const after = Array.from({ length: 30 }, (_, i) => [`after${i}`, { run: effect('after'), needs: ['head'] }] as const)
  const steps = { head: { run: 'exit 1' }, ...Object.fromEntries(after) }
  const { message, steps: told } = await run({ name: 'many', states: { only: { steps } } })
  expect(told.skipped).toHaveLength(30)
  expect(message).toMatch(
    /^"only": 0 of 31 steps succeeded; failed: head; not run: after0 .*after9 \(.*\), and 20 more$/,
  )
  expect(message).not.toContain('after10')
})

test('what failed before a gate counts at the end also when the gate was passed between two runs', async () => {
  const definition = {
    name: 'halves',
    states: {
      try: { min_success: 0.5, steps: { good: { run: 'true' }, bad: { run: 'exit 1' } } },
      use: { approval: true, steps: { use: { run: 'true' } } },
    },
  }
  expect(await run(definition)).toMatchObject({ status: 'needs-person' })
  const session = await project.session('halves')
  await session.run('step.release', { step: 'use:approval' }, { actor: 'human:ana' })
  expect(await run(definition)).toMatchObject({
    status: 'partial',
    code: 'PARTIAL',
    message: 'completed, but without bad',
    steps: { ran: ['use'], failed: [] },
  })
})

test('F1 a step that hands back a failure without a word has said nothing of one', async () => {
  const said = 'echo "STEADFOLD_FAILURE=$WHY" >> "$STEADFOLD_OUTPUT"; echo found=1 >> "$STEADFOLD_OUTPUT"'
  expect(await run({ name: 'silent', states: { only: { steps: { quiet: { run: said } } } } })).toMatchObject({
    status: 'completed',
  })
  expect((await project.session('silent')).get('$.outputs')).toEqual({ 'quiet.found': '1' })
})

test('what was retried behind a gate, and never ran again, counts at the end as what failed', async () => {
  const definition = {
    name: 'retried',
    states: {
      try: { min_success: 0.3, steps: { good: { run: 'true' }, bad: { run: 'exit 1' }, parked: { run: 'exit 77' } } },
      use: { approval: true, steps: { use: { run: 'true' } } },
    },
  }
  expect(await run(definition)).toMatchObject({ status: 'needs-person' })
  const session = await project.session('retried')
  await session.run('step.retry', { step: 'bad' })
  for (const step of ['parked', 'use:approval']) await session.run('step.release', { step }, { actor: 'human:ana' })
  expect(await run(definition)).toMatchObject({ status: 'partial', message: 'completed, but without bad, parked' })
})

test('what failed in an earlier pass, in a state that this one did not come to, does not count', async () => {
  const definition = {
    name: 'passes',
    states: {
      test: { steps: { check: { run: 'test -e fixed' } }, next: ['complete'], on_failure: 'debug' },
      debug: { min_success: 0, steps: { look: { run: 'exit 1' } }, next: ['complete'] },
      complete: {},
    },
  }
  expect(await run(definition)).toMatchObject({ status: 'partial', steps: { failed: ['check', 'look'] } })
  project.write('fixed', '')
  expect(await run(definition)).toMatchObject({ status: 'completed', steps: { ran: ['check'], failed: [] } })
})

test('of a step whose outcome is unknown is kept what it wrote, and what it said it has cost', async () => {
  const run = 'echo tokens=7 >> "$STEADFOLD_OUTPUT"; echo asked for it; kill -9 $PPID; sleep 9'
  const result = await project.run({ name: 'gone', states: { only: { steps: { paid: { run } } } } })
  expect(result).toMatchObject({ status: 'needs-person', spent: { tokens: 7 } })
  const session = await project.session('gone')
  const [failure] = await session.query('$.steps.ledger.*.failure')
  expect(failure).toMatchObject({ class: 'unknown', tokens: 7, stdout: { bytes: 'asked for it\n'.length } })
})
