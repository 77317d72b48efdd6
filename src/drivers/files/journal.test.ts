import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { spoolWaits } from './spool-waits.ts'
import { keyOf, Spool, type Fact, type Verdict } from './spool.ts'

const taken: Verdict = { kind: 'taken' }
let root = ''
let folder = ''

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'journal-'))
  folder = path.join(root, 'spool')
  fs.mkdirSync(folder, { mode: 0o700 })
})
afterEach(() => fs.rmSync(root, { recursive: true, force: true }))

const place = (name: string) => path.join(folder, name)
const later = (seconds: number) => () => Date.now() + seconds * 1000
const spool = (now = Date.now) => new Spool({ root, now })
const waits = (seconds = 0) => spoolWaits(root, later(seconds)())
const factText = (n: number, value: string, at = '') =>
  `steadfold-fact 1\nsession: s\nactor: tool:shell\nop: output.set\nname: K\nn: ${n}\nat: ${at}\n\n${value}\n#end\n`
const append = (name: string, ...texts: readonly string[]) => fs.appendFileSync(place(name), texts.join(''))
const left = () => fs.readdirSync(folder).filter((name) => !/^(taken|rejected)$|\.taken$/.test(name))

async function takeAll(from = spool(), verdict: (value: string) => Verdict = () => taken): Promise<readonly string[]> {
  const seen: string[] = []
  await from.take(async (facts) =>
    facts.map((fact) => {
      seen.push(`${keyOf(fact)}=${fact.value.toString()}`)
      return verdict(fact.value.toString())
    }),
  )
  return seen
}

describe('files of many facts', () => {
  test('J1: what was taken is not taken again, what is appended later is, and the file is left as it is', async () => {
    append('a-7-100.facts', factText(1, 'one'), factText(2, ''))
    expect(waits()).toBe(true)
    expect(await takeAll()).toEqual(['spool:a-7-1=one', 'spool:a-7-2='])
    expect(waits()).toBe(false)
    expect(await takeAll()).toEqual([])
    append('a-7-100.facts', factText(3, 'three'))
    expect(waits()).toBe(true)
    expect(await takeAll()).toEqual(['spool:a-7-3=three'])
    expect(fs.readFileSync(place('a-7-100.facts'), 'utf8')).toBe(
      factText(1, 'one') + factText(2, '') + factText(3, 'three'),
    )
  })

  test('F1: a fact ends where its own trailer stands, whatever that is, and the next one has another', async () => {
    const own = factText(1, 'a\n#end\nb')
      .replace('\n\n', '\nuntil: that is all\n\n')
      .replace(/#end\n$/, 'that is all\n')
    append('a-7-100.facts', own, factText(2, 'two'))
    expect(await takeAll()).toEqual(['spool:a-7-1=a\n#end\nb', 'spool:a-7-2=two'])
  })

  test('S3: a fact whose actor is none is put aside alone; those before and behind it are taken', async () => {
    const wrong = factText(2, 'a\n#end\nb')
      .replace('tool:shell', 'system:evil one')
      .replace('\n\n', '\nuntil: over\n\n')
      .replace(/#end\n$/, 'over\n')
    append('a-7-100.facts', factText(1, 'one'), wrong, factText(3, 'three'), wrong.replace('n: 2', 'n: 4'))
    expect(spool().list()).toHaveLength(2)
    expect(await takeAll()).toEqual(['spool:a-7-1=one', 'spool:a-7-3=three'])
    const aside = ['a-7-2.fact', 'a-7-4.fact'].map((file) => ({
      file,
      reason: 'its "actor" is missing or not allowed',
    }))
    expect(spool().rejected()).toEqual(aside)
    expect(fs.readFileSync(path.join(folder, 'rejected', 'a-7-2.fact'), 'utf8')).toBe(wrong)
    expect([waits(), await takeAll()]).toEqual([false, []])
    expect(left()).toEqual(['a-7-100.facts'])
  })

  test('S3: one that never ends is put aside with its file after a minute', async () => {
    append('a-7-100.facts', factText(1, 'one'), factText(2, 'two').replace('tool:', 'evil:').replace('#end\n', ''))
    expect(await takeAll()).toEqual(['spool:a-7-1=one'])
    expect(await takeAll(spool(later(61)))).toEqual([])
    expect(spool().rejected()).toEqual([{ file: 'a-7-100.facts', reason: 'what stands in it is no fact' }])
  })

  test('S3: a fact under way is taken once it is finished', async () => {
    const whole = factText(2, 'two\nlines')
    append('a-7-100.facts', factText(1, 'one'), whole.slice(0, 90))
    expect(await takeAll()).toEqual(['spool:a-7-1=one'])
    expect(spool().unfinished()).toEqual(['a-7-100.facts'])
    expect(waits()).toBe(false)
    append('a-7-100.facts', whole.slice(90))
    expect(await takeAll()).toEqual(['spool:a-7-2=two\nlines'])
  })

  test('J2: a mark is nothing for a file that was made anew under the same name', async () => {
    append('a-7-100.facts', factText(1, 'a'.repeat(50)), factText(2, 'b'))
    await takeAll()
    fs.rmSync(place('a-7-100.facts'))
    append('a-7-100.facts', factText(3, 'c'.repeat(50)), factText(4, 'd'), factText(5, 'e'))
    expect(await takeAll()).toEqual([`spool:a-7-3=${'c'.repeat(50)}`, 'spool:a-7-4=d', 'spool:a-7-5=e'])
  })

  test.each(['', 'rubbish', '1 999999 999999\n', '1 12', '-1 0 0\n'])('J2: the mark %j is nothing', async (mark) => {
    append('a-7-100.facts', factText(1, 'one'))
    fs.writeFileSync(place('a-7-100.facts.taken'), mark)
    expect(await takeAll()).toEqual(['spool:a-7-1=one'])
  })

  test('S1: when a later batch fails, what came before it is not taken again', async () => {
    append('a-7-100.facts', ...Array.from({ length: 700 }, (_, n) => factText(1000 + n, `v${n}`)))
    let calls = 0
    const failing = spool().take(async (facts) => {
      if (++calls > 1) throw new Error('disk full')
      return facts.map(() => taken)
    })
    await expect(failing).rejects.toThrow('disk full')
    expect(waits()).toBe(true)
    const rest = await takeAll()
    expect(rest).toHaveLength(200)
    expect(rest[0]).toBe('spool:a-7-1500=v500')
  })

  test('S2: facts of several files are in the order of their times', async () => {
    append('a-7-100.facts', factText(1, 'first', '1700000000.000001'), factText(2, 'third', '1700000000.000003'))
    append('b-9-100.facts', factText(1, 'second', '1700000000,000002'), factText(2, 'fourth', '1700000000.000004'))
    const seen = await takeAll()
    expect(seen.map((each) => each.split('=')[1])).toEqual(['first', 'second', 'third', 'fourth'])
  })

  test('S2: a time since the start of the machine is told apart from one since 1970', () => {
    const up = Number.parseFloat(fs.readFileSync('/proc/uptime', 'utf8'))
    append('a-7-100.facts', factText(1, 'second', `up ${up - 5}`))
    append('b-9-100.facts', factText(1, 'third', String(Date.now() / 1000 - 2)), factText(2, 'first', '1700000000'))
    append('c-9-100.facts', factText(1, 'zero', `up ${up - 60}`))
    expect(
      spool()
        .list()
        .map(({ value }) => value.toString()),
    ).toEqual(['zero', 'second', 'third', 'first'])
  })

  test('S1: what was handed in before a take is taken by it, though the clock of its writer is coarse', async () => {
    const up = Number.parseFloat(fs.readFileSync('/proc/uptime', 'utf8'))
    append('a-7-100.facts', factText(1, 'now', `up ${up}`))
    append('b-7-100.facts', factText(1, 'at once', String(Date.now() / 1000)))
    expect(await takeAll()).toHaveLength(2)
  })

  test('S2: what is written after a take has begun is for the next one', async () => {
    append('a-7-100.facts', factText(1, 'one'), factText(2, 'two', String(Date.now() / 1000 + 2)), factText(3, 'three'))
    expect(await takeAll()).toEqual(['spool:a-7-1=one'])
    expect(waits()).toBe(true)
  })

  test('S2: what is dated far ahead is taken: a clock was set back', async () => {
    append('a-7-100.facts', factText(1, 'one', String(Date.now() / 1000 + 7200)))
    expect(await takeAll()).toEqual(['spool:a-7-1=one'])
  })

  test('S4: a fact that is refused gets a file of its own in rejected/, and the others go on', async () => {
    append('a-7-100.facts', factText(1, 'good'), factText(2, 'bad'), factText(3, 'fine'))
    const verdict = (value: string): Verdict => (value === 'bad' ? { kind: 'rejected', reason: 'no' } : taken)
    expect(await takeAll(spool(), verdict)).toHaveLength(3)
    expect(spool().rejected()).toEqual([{ file: 'a-7-2.fact', reason: 'no' }])
    expect(fs.readFileSync(place('rejected/a-7-2.fact'), 'utf8')).toBe(factText(2, 'bad'))
    expect(waits()).toBe(false)
  })

  test('T1: a fact that waits gets a file of its own, with the same key, and the others are left behind', async () => {
    append('a-7-100.facts', factText(1, 'good'), factText(2, 'wait'), factText(3, 'fine'))
    await takeAll(spool(), (value) => ({ kind: value === 'wait' ? 'waits' : 'taken' }))
    expect(left().sort()).toEqual(['a-7-100.facts', 'a-7-2.fact'])
    expect(await takeAll()).toEqual(['spool:a-7-2=wait'])
    expect(waits()).toBe(false)
  })

  test('S6: a file that was taken to its end is put away when its writer was silent for a minute', async () => {
    append('a-7-100.facts', factText(1, 'one'))
    await takeAll()
    expect(waits(50)).toBe(false)
    await takeAll(spool(later(50)))
    expect(left()).toEqual(['a-7-100.facts'])
    expect(waits(70)).toBe(true)
    await takeAll(spool(later(70)))
    expect(left()).toEqual([])
    expect(fs.readdirSync(folder)).toEqual(['taken'])
    append('a-7-100.facts', factText(2, 'two'))
    expect(await takeAll()).toEqual(['spool:a-7-2=two'])
  })

  test('S3: what is no fact is put aside after a minute, with what stands behind it; what stands before it is taken', async () => {
    append('a-7-100.facts', factText(1, 'one'), 'rubbish\n\n', factText(2, 'two'))
    expect(await takeAll()).toEqual(['spool:a-7-1=one'])
    expect(left()).toEqual(['a-7-100.facts'])
    fs.utimesSync(place('a-7-100.facts'), 1, 1)
    expect(await takeAll()).toEqual([])
    expect(left()).toEqual([])
    expect(
      spool()
        .rejected()
        .map(({ file }) => file),
    ).toEqual(['a-7-100.facts'])
  })

  test('S3: a last fact that was not finished for a day is put aside', async () => {
    append('a-7-100.facts', factText(1, 'one'), 'steadfold-fact 1\nsess')
    await takeAll()
    await takeAll(spool(later(3600)))
    expect(left()).toEqual(['a-7-100.facts'])
    await takeAll(spool(later(90_000)))
    expect(left()).toEqual([])
  })

  test('S5: a link is not followed', async () => {
    const secret = path.join(root, 'secret')
    fs.writeFileSync(secret, factText(1, 'secret'))
    fs.symlinkSync(secret, place('a-7-100.facts'))
    expect(await takeAll()).toEqual([])
    expect(fs.readFileSync(secret, 'utf8')).toBe(factText(1, 'secret'))
  })

  test('S5: a file larger than what is read at once is taken whole, in order', async () => {
    append('a-7-100.facts', ...Array.from({ length: 90 }, (_, n) => factText(100 + n, `${n}:${'x'.repeat(1000)}`)))
    const facts: Fact[] = []
    const small = new Spool({ root, now: Date.now, maxBytes: 4000 })
    await small.take(async (some) => some.map((fact) => (facts.push(fact), taken)))
    expect(facts.map(({ value }) => Number.parseInt(value.toString(), 10))).toEqual(
      Array.from({ length: 90 }, (_, n) => n),
    )
    expect(waits()).toBe(false)
  })
})
