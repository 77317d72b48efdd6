import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, test } from 'vitest'
import { begin } from '../../../test/domain/begin.ts'
import { extract } from './extract.ts'
import { handedOn } from './meter.ts'

interface Measured {
  readonly tokens: {
    readonly tokens_in: number
    readonly tokens_out: number
    readonly reduction: number | null
    readonly estimate: boolean
    readonly missing: readonly string[]
    readonly workers: readonly { readonly worker: string; readonly tokens_in: number; readonly tokens_out: number }[]
  }
  readonly time: {
    readonly sum_ms: number
    readonly critical_path_ms: number
    readonly critical_path: readonly string[]
    readonly elapsed_ms: number | null
    readonly measured: number
    readonly from_ready: readonly string[]
  }
}

const MINUTE = 60_000
const long = (name: string) =>
  `# ${name}\n\nWhat ${name} is about.\n\n- one\n- two\n\n${'and much more of it, '.repeat(200)}`

test('M1 tokens are those of the whole reports and of what is handed on, by the encoding itself', async () => {
  const { session } = await begin()
  await session.supervise.start({ kind: 'research', workers: [{ id: 'a' }, { id: 'b' }, { id: 'c' }] })
  await session.supervise.report({ worker: 'a', text: long('a') })
  await session.supervise.report({ worker: 'b', text: 'ok' })
  await session.supervise.report({ worker: 'c', summary: 'told, not written' })
  const { value } = (await session.run('supervise.meter')) as { value: Measured }
  const out = handedOn({ ...extract(long('a'), 'a'), path: null, kept: null, by_rule: [] })
  expect(out).toBe('a\nWhat a is about.\n- one\n- two')
  expect(value.tokens.workers).toEqual([
    { worker: 'a', tokens_in: encode(long('a')).length, tokens_out: encode(out).length },
    { worker: 'b', tokens_in: encode('ok').length, tokens_out: encode('ok\nok').length },
  ])
  expect(value.tokens).toMatchObject({ estimate: true, missing: [] })
  const told = await session.run('supervise.meter', { model: 'gpt-5-mini' })
  expect(told).toMatchObject({ value: { tokens: { encoding: 'o200k_base', estimate: false } } })
  const other = await session.run('supervise.meter', { model: 'claude-opus' })
  expect(other).toMatchObject({ value: { tokens: { estimate: true } } })
})

test('M1 what grows is said to grow', async () => {
  const { session } = await begin()
  await session.supervise.start({ kind: 'research', workers: [{ id: 'a' }] })
  await session.supervise.report({ worker: 'a', text: 'x', summary: 'much longer than the report itself' })
  const { value } = (await session.run('supervise.meter')) as { value: Measured }
  expect(value.tokens.reduction).toBeLessThan(0)
})

test('M2 three tracks of 30, 25 and 20 minutes that wait for each other save nothing; two at once do', async () => {
  const { session, host } = await begin()
  const chain = [{ id: 'back' }, { id: 'front', needs: ['back'] }, { id: 'tests', needs: ['back', 'front'] }]
  await session.supervise.start({ kind: 'implementation', workers: [...chain, { id: 'docs' }] })
  const work = async (worker: string, minutes: number) => {
    await session.supervise.begin({ worker })
    host.advance(minutes * MINUTE)
    await session.supervise.report({ worker })
  }
  await work('back', 30)
  await work('front', 25)
  await work('tests', 20)
  const chained = (await session.run('supervise.meter')) as { value: Measured }
  expect(chained.value.time).toMatchObject({ sum_ms: 75 * MINUTE, critical_path_ms: 75 * MINUTE, measured: 3 })
  await session.supervise.report({ worker: 'docs', duration_ms: 40 * MINUTE })
  const { value } = (await session.run('supervise.meter')) as { value: Measured }
  expect(value.time).toMatchObject({
    sum_ms: 115 * MINUTE,
    critical_path_ms: 75 * MINUTE,
    critical_path: ['back', 'front', 'tests'],
    elapsed_ms: 75 * MINUTE,
    from_ready: [],
  })
})

test('M2 stages wait for each other; time that nobody told counts from when a worker could begin', async () => {
  const { session, host } = await begin()
  const at = (id: string, stage: string) => ({ id, stage })
  const workers = [at('unit', 'generation'), at('e2e', 'generation'), at('run', 'execution')]
  await session.supervise.start({ kind: 'testing', workers })
  host.advance(MINUTE)
  await session.supervise.report({ worker: 'unit' })
  host.advance(MINUTE)
  await session.supervise.report({ worker: 'e2e' })
  host.advance(3 * MINUTE)
  await session.supervise.report({ worker: 'run' })
  const { value } = (await session.run('supervise.meter')) as { value: Measured }
  expect(value.time).toMatchObject({
    sum_ms: 6 * MINUTE,
    critical_path_ms: 5 * MINUTE,
    critical_path: ['e2e', 'run'],
    from_ready: ['unit', 'e2e', 'run'],
  })
})

test('a report that is not kept here is named, and the others are counted', async () => {
  const { session, kernel } = await begin()
  await session.supervise.start({ kind: 'research', workers: [{ id: 'a' }, { id: 'b' }] })
  const lost = {
    path: null,
    kept: { sha256: 'f'.repeat(64), bytes: 9 },
    title: 'A',
    summary: '',
    key_findings: [],
    by_rule: [],
  }
  await session.supervise.report({ worker: 'a', report: lost })
  await session.supervise.report({ worker: 'b', text: 'here' })
  const { value } = (await session.run('supervise.meter')) as { value: Measured }
  expect(value.tokens).toMatchObject({ missing: ['a'], workers: [{ worker: 'b' }] })
  expect(await session.run('supervise.show', { worker: 'a' })).toMatchObject({ value: { text: null } })
  expect(kernel.log.supports.blobs).toBe(true)
})

test('a rehearsal keeps nothing', async () => {
  const { session, kernel } = await begin()
  await session.supervise.start({ kind: 'research', workers: [{ id: 'a' }] })
  const answer = await session.run('supervise.report', { worker: 'a', text: '# Only said' }, { dryRun: true })
  const events = answer.kind === 'accepted' ? answer.events : []
  const reports = events.map(({ data }) => data as { report?: { kept: { sha256: string } } })
  const hashes = reports.flatMap(({ report }) => report?.kept.sha256 ?? [])
  expect(hashes).toHaveLength(1)
  for (const hash of hashes) expect(await kernel.log.blobs?.get(session.id, hash)).toBeUndefined()
})
