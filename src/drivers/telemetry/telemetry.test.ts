import * as api from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fixedHost, overriding } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Log } from '../../kernel/ports.ts'
import { observerOf, type Api } from './telemetry.ts'

const spans = new InMemorySpanExporter()
const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
let meters: MeterProvider

beforeEach(() => {
  spans.reset()
  exporter.reset()
  meters = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] })
  api.trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }))
  api.metrics.setGlobalMeterProvider(meters)
})
afterEach(() => {
  api.trace.disable()
  api.metrics.disable()
})

const plain = { version: '1.2.3', clean: String }

async function begin(otel: Api = api) {
  const host = fixedHost()
  const kernel = { ...memoryKernel({ checkpoints: false }), host, observer: observerOf(otel, plain) }
  const workspace = makeWorkspace(kernel)
  const session = await workspace.createSession({ name: 'test' })
  const run = (name: string, input: object = {}, actor = 'human:ana') => session.run(name, input, { actor })
  return { host, kernel, workspace, session, run }
}

const named = (name: string): ReadableSpan | undefined => spans.getFinishedSpans().find((span) => span.name === name)
const ms = ([seconds, nanos]: api.HrTime): number => seconds * 1000 + nanos / 1_000_000
const lasted = (span: ReadableSpan | undefined) => (span === undefined ? -1 : ms(span.endTime) - ms(span.startTime))

async function told() {
  await meters.forceFlush()
  const last = exporter.getMetrics().at(-1)
  return last?.scopeMetrics.flatMap((scope) => scope.metrics) ?? []
}

async function figures() {
  const metrics = await told()
  return Object.fromEntries(
    metrics.map(({ descriptor, dataPoints }) => [
      descriptor.name,
      dataPoints.map(({ value }) => (typeof value === 'object' ? value.sum : value)).reduce((a = 0, b = 0) => a + b, 0),
    ]),
  )
}

const KEY = 'a'.repeat(64)

test('spans and figures say which version tells them', async () => {
  const { run } = await begin()
  await run('task.add', { title: 'x' })
  await meters.forceFlush()
  const scopes = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.map(({ scope }) => scope))
  const ours = expect.objectContaining({ name: 'steadfold', version: plain.version })
  expect([...scopes, named('task.add')?.instrumentationScope]).toEqual([ours, ours])
})

test('an operation is a span with its session, actor and place in the log; a refusal is no error, a failure is', async () => {
  const { session, run } = await begin()
  await run('task.add', { title: 'x' }, 'agent:planner')
  await run('task.start', { task: 'task-2' })
  await expect(run('no.such')).rejects.toMatchObject({ code: 'OPERATION_UNKNOWN' })
  expect(named('task.add')).toMatchObject({
    status: { code: api.SpanStatusCode.UNSET },
    attributes: {
      'gen_ai.conversation.id': session.id,
      'gen_ai.agent.name': 'planner',
      'steadfold.actor': 'agent:planner',
      'steadfold.seq': 2,
      'steadfold.events': 1,
    },
  })
  expect(named('task.start')).toMatchObject({
    status: { code: api.SpanStatusCode.UNSET },
    attributes: { 'steadfold.refusal': 'NOT_FOUND' },
  })
  expect(named('no.such')).toMatchObject({
    status: { code: api.SpanStatusCode.ERROR },
    attributes: { 'error.type': 'OPERATION_UNKNOWN' },
  })
})

test('what callers have written is told without its secrets', async () => {
  const token = `ghp_${'a1B2'.repeat(9)}`
  const { redactor } = memoryKernel()
  const host = fixedHost()
  const observer = observerOf(api, { ...plain, clean: (text) => redactor?.text(text, new Map()) ?? text })
  const session = await makeWorkspace({ ...memoryKernel(), host, observer }).createSession({ name: 'test' })
  await expect(session.run(token, {}, { actor: `agent:${token}` })).rejects.toMatchObject({ code: 'OPERATION_UNKNOWN' })
  const told = spans.getFinishedSpans().map(({ name, attributes, status }) => ({ name, attributes, status }))
  expect(told).toHaveLength(2)
  expect(JSON.stringify(told)).not.toContain(token)
  expect(told[1]?.name).toBe('[redacted:github-token]')
})

test('E2 E3 a step is a span with the times of the log, tokens under the names for generative AI, and its failure', async () => {
  const { host, session, run } = await begin()
  await run('step.start', { key: KEY, name: 'draft', state: null, command: 'x' })
  host.advance(1500)
  const outputs = { input_tokens: '900', output_tokens: '100' }
  await run('step.finish', { key: KEY, token: 2, exit: 0, tokens: 1000, cost_usd: 0.25, outputs, duration_ms: 1500 })
  const other = 'b'.repeat(64)
  await run('step.start', { key: other, name: 'lint', state: null, command: 'x' })
  await run('step.fail', { key: other, token: session.seq, class: 'transient', reason: 'exit 3', exit: 3 })
  expect(lasted(named('step draft'))).toBe(1500)
  expect(named('step draft')?.attributes).toMatchObject({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'draft',
    'gen_ai.usage.input_tokens': 900,
    'gen_ai.usage.output_tokens': 100,
    'steadfold.usage.tokens': 1000,
    'steadfold.usage.cost_usd': 0.25,
    'steadfold.step.exit': 0,
  })
  expect(named('step lint')).toMatchObject({
    status: { code: api.SpanStatusCode.ERROR, message: 'exit 3' },
    attributes: { 'error.type': 'transient', 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'lint' },
  })
  expect(await figures()).toMatchObject({
    'steadfold.commits': 5,
    'steadfold.step.duration': 1.5,
    'steadfold.tokens': 1000,
    'steadfold.cost': 0.25,
    'steadfold.step.tokens': 1000,
    'gen_ai.invoke_agent.duration': 1.5,
    'gen_ai.execute_tool.duration': 0,
  })
})

test('what takes milliseconds and what takes minutes stand in different buckets, and so do few tokens and many', async () => {
  const { host, run } = await begin()
  for (const [i, size] of [30, 3000, 300_000].entries()) {
    const key = String(i).repeat(64)
    await run('step.start', { key, name: 'draft', state: null, command: 'x' })
    host.advance(size)
    const outputs = { input_tokens: String(size) }
    const cost = { tokens: size, cost_usd: 0, duration_ms: size }
    await run('step.finish', { key, token: 2 * i + 2, exit: 0, outputs, ...cost })
  }
  const filled = (await told()).flatMap(({ descriptor: { name }, dataPoints }) =>
    dataPoints.flatMap(({ value }) =>
      typeof value === 'object' && 'buckets' in value
        ? [[name, value.buckets.counts.filter((count) => count > 0).length] as const]
        : [],
    ),
  )
  expect(filled).toContainEqual(['steadfold.step.duration', 3])
  expect(filled).toContainEqual(['steadfold.step.tokens', 3])
  const operations = (await told()).find(({ descriptor }) => descriptor.name === 'steadfold.operation.duration')
  expect(operations?.dataPoints[0]?.value).toMatchObject({
    buckets: { boundaries: expect.arrayContaining([0.005]) as unknown },
  })
})

test('E1 all spans of a session are one trace with its id, and those of a caller come below the span of the caller', async () => {
  const outer = api.trace.getTracer('caller').startSpan('outer')
  const active = api.trace.setSpan(api.ROOT_CONTEXT, outer)
  const { run } = await begin()
  await run('task.add', { title: 'x' })
  const ids = spans.getFinishedSpans().map((span) => span.spanContext().traceId)
  expect(new Set(ids)).toEqual(new Set(['00000000000070008000000000000001']))
  const context = Object.create(api.context, { active: { value: () => active } }) as typeof api.context
  const below = await begin({ ...api, context })
  await below.run('epic.add', { title: 'x', owner: 'a' })
  expect(named('epic.add')).toMatchObject({ parentSpanContext: { spanId: outer.spanContext().spanId } })
})

test('E2 states and the workflow last from when they were entered, also where that was long ago', async () => {
  const { host, run } = await begin()
  host.advance(1000)
  await run('workflow.transition', { to: 'research' })
  host.advance(2000)
  await run('workflow.transition', { to: 'complete' })
  await run('workflow.complete')
  expect([lasted(named('state initialize')), lasted(named('state research'))]).toEqual([1000, 2000])
  expect(named('state research')?.attributes).toMatchObject({
    'steadfold.workflow.name': 'default',
    'steadfold.workflow.next': 'complete',
  })
  expect(named('invoke_workflow default')?.attributes).toMatchObject({
    'gen_ai.operation.name': 'invoke_workflow',
    'gen_ai.agent.name': 'default',
  })
  expect(await figures()).toMatchObject({ 'gen_ai.invoke_agent.duration': 3 })
})

test('E2 an agent that another process registered is a span from there to its end, and says how it ended', async () => {
  const { host, kernel, session, run } = await begin()
  await run('agent.register', { agent: 'early', type: 'worker', ttl_ms: 10_000 })
  await session.close()
  const again = makeWorkspace({ ...kernel, observer: observerOf(api, plain) })
  const reopened = await again.session(session.id)
  await reopened.run('agent.register', { agent: 'late', type: 'worker', ttl_ms: 60_000 })
  host.advance(12_000)
  await reopened.run('agent.leave', { agent: 'late' })
  expect(lasted(named('invoke_agent early'))).toBe(12_000)
  expect(named('invoke_agent early')).toMatchObject({
    status: { code: api.SpanStatusCode.ERROR },
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'early',
      'steadfold.agent.type': 'worker',
      'steadfold.agent.cause': 'timeout',
      'error.type': 'timeout',
    },
  })
  expect(named('invoke_agent late')).toMatchObject({ status: { code: api.SpanStatusCode.UNSET } })
})

test('S1 what a run of an agent CLI has used so far counts once, however often it says so, and whoever goes on', async () => {
  const { kernel, session, run } = await begin()
  const of = { agent: 'claude', run: 'r1' }
  await run('activity.launch', { ...of, cwd: '/src', assigned: false })
  for (const tokens of [100, 250, 250, 400]) await run('activity.meter', { ...of, tokens, cost_usd: tokens / 1000 })
  expect(await figures()).toMatchObject({ 'steadfold.tokens': 400, 'steadfold.cost': 0.4 })
  await session.close()
  const again = await makeWorkspace({ ...kernel, observer: observerOf(api, plain) }).session(session.id)
  await again.run('activity.meter', { ...of, tokens: 450, cost_usd: 0.5 })
  const { 'steadfold.tokens': tokens, 'steadfold.cost': cost } = await figures()
  expect([tokens, Number(cost).toFixed(4)]).toEqual([450, '0.5000'])
})

test('S1 of a run that several processes tell of by turns, while all of them stay, no token counts twice', async () => {
  const { kernel, session, run } = await begin()
  const other = await makeWorkspace({ ...kernel, observer: observerOf(api, plain) }).session(session.id)
  const of = { agent: 'claude', run: 'r1' }
  await run('activity.launch', { ...of, cwd: '/src', assigned: false })
  for (const [i, tokens] of [100, 250, 400, 450, 700].entries())
    await [session, other][i % 2]?.run('activity.meter', { ...of, tokens, cost_usd: 0 })
  expect(await figures()).toMatchObject({ 'steadfold.tokens': 700 })
})

test('E2 an agent that another process registered meanwhile is a span from there', async () => {
  const { host, kernel, session, run } = await begin()
  const { observer: _, ...unwatched } = kernel
  const other = await makeWorkspace(unwatched).session(session.id)
  await other.run('agent.register', { agent: 'late', type: 'worker', ttl_ms: 60_000 })
  host.advance(5000)
  await run('agent.leave', { agent: 'late' })
  expect(lasted(named('invoke_agent late'))).toBe(5000)
})

test('an append that another writer was quicker with is counted', async () => {
  const { kernel, session } = await begin()
  let losses = 2
  const append: Log['append'] = (...given) =>
    losses-- > 0 ? Promise.resolve({ kind: 'conflict' }) : kernel.log.append(...given)
  const reopened = await makeWorkspace({ ...kernel, log: overriding(kernel.log, { append }) }).session(session.id)
  await reopened.run('task.add', { title: 'a' })
  expect(await figures()).toMatchObject({ 'steadfold.conflicts': 2, 'steadfold.commits': 2 })
})
