import { expect, test } from 'vitest'
import { projectForEachTest } from '../../test/runner/project.ts'
import { openRunner } from '../compose.ts'

const project = projectForEachTest()
const { run, told } = project

const FAMILY = 'sh test -e fine'
const step = { run: ['sh', '-c', 'test -e fine'] }

test('a failure that opens a breaker is told with the time at which the step may run again, and with the breaker', async () => {
  const ends: number[] = []
  const definition = { name: 'held', states: { only: { steps: { r: { run: 'exit 1', retries: 3 } } } } }
  const result = await run(definition)
  expect(result).toMatchObject({ status: 'failed' })
  for await (const { at, events } of (await project.session('held')).commits())
    for (const { type, data } of events)
      if (type === 'step.breaker-opened') ends.push((data as { readonly until: number }).until - Date.parse(at))
  const [first, second, third, last] = told('step-failed')
  expect([first, second, last]).toMatchObject([{ breaker: null }, { breaker: null }, { breaker: null, retry_ms: null }])
  expect(third).toMatchObject({ breaker: 'exit 1' })
  // Its own delay is 40 ms; the breaker's, 600.
  expect(third?.type === 'step-failed' && (third.retry_ms ?? 0)).toBeGreaterThan(300)
  expect(ends[0]).toBeGreaterThanOrEqual(600)
})

test('who waits for a breaker says which steps, until when and what closes it; a person does, and the run goes on', async () => {
  // Nobody would wait for ten minutes.
  process.env['STEADFOLD_RETRY_SCALE'] = '10'
  const runner = await openRunner(project.workspace)
  const steps = { a: step, b: step, c: step, d: step, e: step }
  const definition = { name: 'closed', states: { only: { max_parallel: 1, min_success: 0.2, steps } } }
  const running = runner.runWorkflow({ definition, onEvent: (event) => project.events.push(event) })
  await project.heard('waiting')
  expect(told('waiting')).toMatchObject([
    {
      reason: `d, e: "${FAMILY}" failed too often in a row`,
      next: 'steadfold step retry a --session closed',
    },
  ])
  const [waiting] = told('waiting')
  expect(waiting?.type === 'waiting' && waiting.until).toBeGreaterThan(Date.now() + 500_000)
  project.write('fine', '')
  const session = await project.session('closed')
  expect(await session.run('step.retry', { step: 'a' })).toMatchObject({ kind: 'accepted' })
  expect(await running).toMatchObject({ status: 'partial', steps: { ran: ['a', 'd', 'e'], failed: ['b', 'c'] } })
})

test('who only waits for a retry says so', async () => {
  process.env['STEADFOLD_RETRY_SCALE'] = '0.4'
  const runner = await openRunner(project.workspace)
  const slow = { run: '[ "$STEADFOLD_ATTEMPT" -ge 3 ] || exit 1', retries: 2 }
  const definition = { name: 'slow', states: { only: { steps: { slow } } } }
  const onEvent = (event: (typeof project.events)[number]) => project.events.push(event)
  expect(await runner.runWorkflow({ definition, onEvent })).toMatchObject({ status: 'completed' })
  expect(told('waiting')).toMatchObject([{ reason: 'for a retry of slow', next: null }])
})
