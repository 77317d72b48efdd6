/*
 * docs/protocol.md says enough for a second implementation: reader.ts is one, and the product agrees with it.
 */
import * as fs from 'node:fs'
import * as path from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FilesLog } from '../../src/drivers/files/files.ts'
import { Chain, START } from '../../src/kernel/log/chain.ts'
import { scanLog } from '../../src/kernel/log/replay.ts'
import { Place } from '../cli/binary.ts'
import { sha256, temporaryFolder } from '../conformance/kit.ts'
import { soak } from '../crash/rig/plan.ts'
import { Reader, type Files, type Reading } from './reader.ts'
import { BEGIN, deeds, lineAfter, Story, type Made } from './story.ts'

const page = fs.readFileSync(path.join(import.meta.dirname, '../../docs/protocol.md'), 'utf8')
const example = [...page.matchAll(/^ {4}(\{"v":1,"seq":\d.*\})$/gm)].map(([, line]) => `${line ?? ''}\n`)

const fileOf = (first: number) => `${String(first).padStart(20, '0')}.jsonl`

function write(folder: string, files: Files): void {
  fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const [first, bytes] of files) fs.writeFileSync(path.join(folder, fileOf(first)), bytes)
}

function read(folder: string): Reading {
  const names = fs.readdirSync(folder).filter((name) => /^\d{20}\.jsonl$/.test(name))
  return new Reader(
    new Map(names.map((name) => [Number(name.slice(0, 20)), fs.readFileSync(path.join(folder, name))])),
  ).read()
}

/** What the product says of the log in `root`. */
async function product(root: string): Promise<Omit<Reading, 'lines'>> {
  const log = new FilesLog(root, sha256)
  const chain = new Chain(START, sha256)
  const hashes: string[] = []
  for await (const _ of scanLog(log, 's', chain, ({ hash }) => hashes.push(hash))) continue
  await log.close()
  if (chain.damage === undefined) return { hashes, damage: undefined }
  const { segment, offset, seq } = chain.damage
  return { hashes, damage: { segment, offset, seq } }
}

async function both(root: string, files: Files) {
  write(path.join(root, 'sessions/s/log'), files)
  const { hashes, damage } = new Reader(files).read()
  return { reader: { hashes, damage }, product: await product(root) }
}

test('L2 L3 L9 whatever becomes of a log, a reader made from the page sees the commits and the damage that the product sees', async () => {
  const root = path.join(temporaryFolder(), '.steadfold')
  fs.mkdirSync(root, { mode: 0o700 })
  const [sound, damaged] = [new Set<number>(), new Set<number>()]
  await fc.assert(
    fc.asyncProperty(deeds, async (all) => {
      const told = await both(root, Story.of(all))
      expect(told.product).toEqual(told.reader)
      const { hashes, damage } = told.reader
      ;(damage === undefined ? sound : damaged).add(hashes.length)
    }),
    { numRuns: soak ? 20_000 : 3000 },
  )
  // Neither is all there was.
  expect(Math.min(sound.size, damaged.size)).toBeGreaterThan(3)
})

describe('what the page says of one case', () => {
  const root = path.join(temporaryFolder(), '.steadfold')
  fs.mkdirSync(root, { mode: 0o700 })
  const one = lineAfter(BEGIN, 'one')
  const two = lineAfter(one, 'two')
  const three = lineAfter(two, 'three')
  const seal = lineAfter(one, 'seal')
  const behind = lineAfter(seal, 'behind')
  const [lost, rest] = [lineAfter(BEGIN, 'lost'), lineAfter(lineAfter(BEGIN, 'lost'), 'rest')]
  const end = lineAfter(rest, 'end')
  const text = (...parts: readonly (Made | string)[]) =>
    Buffer.from(parts.map((part) => (typeof part === 'string' ? part : `${part.text}\n`)).join(''))
  const at = (...parts: readonly (Made | string)[]) => text(...parts).length

  interface Case {
    readonly says: string
    readonly files: Readonly<Record<number, Buffer>>
    readonly hashes: readonly Made[]
    readonly damage?: Reading['damage']
  }
  const cases: readonly Case[] = [
    { says: 'a torn {"v": is a fragment', files: { 1: text(one, '{"v":\n', two) }, hashes: [one, two] },
    {
      says: 'a whole line of version 2 stops reading',
      files: { 1: text(one, '{"v":2,"seq":2}\n', two) },
      hashes: [one],
      damage: { segment: 1, offset: at(one), seq: 2 },
    },
    {
      says: 'so does one of version 12 whose hash is made as ours is',
      files: { 1: text(one, lineAfter(one, 'x', [['{"v":1,', '{"v":12,']]), two) },
      hashes: [one],
      damage: { segment: 1, offset: at(one), seq: 2 },
    },
    {
      says: 'the last event alone makes a seal, not the operation',
      files: { 1: text(lineAfter(BEGIN, 'seal', [['"log.seal"', '"a.b"']]), 'rubbish\n') },
      hashes: [lineAfter(BEGIN, 'seal', [['"log.seal"', '"a.b"']])],
    },
    {
      says: 'what stands behind a seal is nothing',
      files: { 1: text(one, seal, three), 3: text(behind) },
      hashes: [one, seal, behind],
    },
    {
      says: 'a segment may not be begun yet, though something lies before it',
      files: { 1: text(one, seal), 2: text('x') },
      hashes: [one, seal],
    },
    { says: 'a segment may not be begun yet', files: { 1: text(one, seal) }, hashes: [one, seal] },
    {
      says: 'a segment is missing though the later one is empty',
      files: { 1: text(one, seal), 4: text() },
      hashes: [one, seal],
      damage: { segment: 3, offset: 0, seq: 3 },
    },
    {
      says: 'an unsealed segment is the last one when later ones are empty',
      files: { 1: text(one), 3: text() },
      hashes: [one],
    },
    {
      says: 'it is corruption when a later one holds a byte',
      files: { 1: text(one, 'torn'), 3: text('x') },
      hashes: [one],
      damage: { segment: 1, offset: at(one), seq: 2 },
    },
    { says: 'a seal without its newline seals nothing', files: { 1: text(one, seal.text), 3: text() }, hashes: [one] },
    {
      says: 'nor does it before a file that holds something',
      files: { 1: text(one, seal.text), 3: text(behind) },
      hashes: [one],
      damage: { segment: 1, offset: at(one), seq: 2 },
    },
    {
      says: 'a fragment that ends in a line above the next is corruption',
      files: { 1: text(one, '{"v"', three, two) },
      hashes: [one],
      damage: { segment: 1, offset: at(one), seq: 2 },
    },
    {
      says: 'unless it ends in the rest of a losing batch',
      files: { 1: text(one, lost, rest, '{"v"', end, two) },
      hashes: [one, two],
    },
    {
      says: 'one that ends in the next line is a fragment',
      files: { 1: text(one, '{"v"', two, two) },
      hashes: [one, two],
    },
  ]
  test.each(cases)('$says', async ({ files, hashes, damage }) => {
    const told = await both(root, new Map(Object.entries(files).map(([first, bytes]) => [Number(first), bytes])))
    const want = { hashes: hashes.map(({ hash }) => hash), damage }
    expect(told).toEqual({ reader: want, product: want })
  })
})

describe('the product that was built', () => {
  let place: Place
  beforeAll(() => {
    place = new Place()
  })
  afterAll(() => place.remove())
  const at = (...names: readonly string[]) => path.join(place.dir, '.steadfold', ...names)

  test('it opens the log that the page shows, and goes on behind it as the page says', () => {
    expect(example).toHaveLength(2)
    write(at('sessions/demo/log'), new Map([[1, Buffer.from(example.join(''))]]))
    expect(place.data('output', 'get', 'K', '--session', 'demo')).toMatchObject({ value: 'v' })
    expect(place.run('output', 'set', 'K', 'w', '--session', 'demo').status).toBe(0)
    const { lines, damage } = read(at('sessions/demo/log'))
    expect([lines.length, damage]).toEqual([3, undefined])
    expect(lines.slice(0, 2).map((line) => `${line}\n`)).toEqual(example)
    expect(JSON.parse(lines[2] ?? '')).toMatchObject({
      v: 1,
      seq: 3,
      op: 'output.set',
      events: [{ data: { value: 'w' } }],
    })
  })

  test('its log over several segments is read by a reader made from the page', () => {
    place.file('.steadfold/config.json', '{"segmentBytes":1500}')
    expect(place.run('session', 'create', 'it').status).toBe(0)
    for (let i = 0; i < 6; i++)
      expect(place.run('output', 'set', 'K', `é ${String(i)}`, '--session', 'it').status).toBe(0)
    const [verified] = place.data<readonly { readonly session: string; readonly seq: number }[]>(
      'verify',
      '--session',
      'it',
    )
    const id = verified?.session ?? ''
    const { lines, damage } = read(at('sessions', id, 'log'))
    expect([lines.length, damage]).toEqual([verified?.seq, undefined])
    expect(fs.readdirSync(at('sessions', id, 'log')).length).toBeGreaterThan(1)
    expect(fs.readFileSync(at('names/n-it/1'), 'utf8')).toBe(id)
  })
  test('it commits facts as the page says, and puts others aside with the reason', () => {
    expect(place.run('session', 'create', 'shells').status).toBe(0)
    fs.mkdirSync(at('spool'), { mode: 0o700 })
    const hand = (name: string, head: string, body: string) => {
      fs.writeFileSync(at('spool', name), `steadfold-fact 1\nsession: shells\n${head}\n\n${body}`)
      fs.utimesSync(at('spool', name), 1, 1)
    }
    hand('a-1.fact', 'actor: tool:a\nop: output.set\nname: K\nuntil: #finis', 'v\n#end\n#finis\n')
    hand('a-2.fact', 'actor: system:evil one\nop: output.set\nname: K', 'w\n#end\n')
    hand('b-1.facts', 'actor: tool:b\nop: state.set\nname:\nn: 101', '{"path":"$.data.b","value":1}\n#end\n')
    hand('c-1.fact', 'actor: tool:c\nop: state.set\nname:', 'no JSON\n#end\n')
    expect(place.data('output', 'get', 'K', '--session', 'shells')).toMatchObject({ value: 'v\n#end' })
    const keys = place.data<readonly { readonly key?: string }[]>('log', '--session', 'shells').map(({ key }) => key)
    expect(keys.filter((key) => key !== undefined)).toEqual(['spool:a-1', 'spool:b-101'])
    const why = (name: string) => fs.readFileSync(at('spool/rejected', `${name}.why`), 'utf8')
    expect(why('a-2.fact')).toContain('"actor"')
    expect(why('c-1.fact')).toContain('SPOOL_FACT_INVALID')
    expect(fs.readdirSync(at('spool')).toSorted()).toEqual(['rejected', 'taken'])
  })
})
