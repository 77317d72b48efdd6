/* Spans of a command, with an SDK that its user brings along. */
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Place, PROGRAM } from './binary.ts'

/** Writes each span as a line of stderr. */
const SDK = `
import { createRequire } from 'node:module'
const load = createRequire(${JSON.stringify(PROGRAM)})
const { trace } = load('@opentelemetry/api')
const { BasicTracerProvider, SimpleSpanProcessor } = load('@opentelemetry/sdk-trace-base')
const exporter = {
  export(spans, done) {
    for (const { name, attributes } of spans) process.stderr.write(JSON.stringify({ name, attributes }) + '\\n')
    done({ code: 0 })
  },
  shutdown: async () => {},
}
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
`

/** As most do: it sends many at once, every hour, and its clock keeps no program going. */
const GATHERS = `
import { createRequire } from 'node:module'
const load = createRequire(${JSON.stringify(PROGRAM)})
const { metrics, trace } = load('@opentelemetry/api')
const { BasicTracerProvider, BatchSpanProcessor } = load('@opentelemetry/sdk-trace-base')
const { MeterProvider, PeriodicExportingMetricReader } = load('@opentelemetry/sdk-metrics')
const told = ({ name }) => process.stderr.write(JSON.stringify({ name }) + '\\n')
const exporter = (namesOf) => ({
  export(what, done) {
    namesOf(what).forEach(told)
    done({ code: 0 })
  },
  forceFlush: async () => {},
  shutdown: async () => {},
})
const spans = new BatchSpanProcessor(exporter((all) => all), { scheduledDelayMillis: 3600_000 })
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [spans] }))
const figures = exporter(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics.map((each) => each.descriptor)))
const reader = new PeriodicExportingMetricReader({ exporter: figures, exportIntervalMillis: 3600_000 })
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))
`

let place: Place
let sdk: Readonly<Record<string, string>>
beforeAll(() => {
  place = new Place()
  sdk = { NODE_OPTIONS: `--import ${place.file('otel.mjs', SDK)}` }
  place.data('session', 'create', 'traced')
})
afterAll(() => place.remove())

const names = (err: string) =>
  err
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [(JSON.parse(line) as { readonly name: string }).name] : []))

test.each([
  ['nothing', {}, []],
  ['STEADFOLD_OTEL=1', { STEADFOLD_OTEL: '1' }, ['task.add']],
  ['an exporter in the environment', { OTEL_TRACES_EXPORTER: 'otlp' }, ['task.add']],
  ['an exporter, and STEADFOLD_OTEL=0', { OTEL_TRACES_EXPORTER: 'otlp', STEADFOLD_OTEL: '0' }, []],
])('with %s a command tells its spans, or none', (_, env, expected) => {
  const { status, err } = place.runWith({ env: { ...sdk, ...env } }, 'task', 'add', 'x')
  expect([status, names(err)]).toEqual([0, expected])
})

test('F1 what an SDK still gathers when a command is through goes out, once, whatever its clock says', () => {
  const gathers = place.file('gathers.mjs', GATHERS)
  const env = { NODE_OPTIONS: `--import ${gathers}`, STEADFOLD_OTEL: '1' }
  const { status, err } = place.runWith({ env }, 'task', 'add', 'y')
  expect([status, names(err)]).toEqual([0, ['task.add', 'steadfold.commits', 'steadfold.operation.duration']])
})

test('config.json turns it on for the workspace; without an SDK nothing is said', () => {
  place.file('.steadfold/config.json', '{"telemetry": true}')
  expect(names(place.runWith({ env: sdk }, 'task', 'ready').err)).toEqual(['task.ready'])
  expect(place.run('task', 'ready')).toMatchObject({ status: 0, err: '' })
  place.file('.steadfold/config.json', '{}')
})

test('the programs that start fast hold nothing of it', () => {
  const dist = path.dirname(PROGRAM)
  const hot = readdirSync(dist).filter((name) => /^(hot.*|steadfold)\.cjs$/.test(name))
  expect(hot.length).toBeGreaterThan(3)
  for (const name of hot)
    expect(readFileSync(path.join(dist, name), 'utf8')).not.toMatch(/opentelemetry|STEADFOLD_OTEL/)
})

test('S1 a command whose SDK goes on behind it is stopped by the first signal', async () => {
  const env = { NODE_OPTIONS: `--import ${place.file('endless.mjs', 'setInterval(() => {}, 1000)')}` }
  const child = place.startWith({ env }, 'status')
  await once(child.stdout, 'data')
  await new Promise((resolve) => setTimeout(resolve, 300))
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), 5000)
  expect(await once(child, 'exit')).toEqual([null, 'SIGTERM'])
  clearTimeout(late)
})
