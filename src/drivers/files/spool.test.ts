import { execFileSync } from 'node:child_process'
import builtin, * as fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import * as os from 'node:os'
import * as path from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { EngineError } from '../../kernel/error.ts'
import { parseFact } from './fact.ts'
import { spoolWaits } from './spool-waits.ts'
import { inputOf, keyOf, Spool, type Fact, type Verdict } from './spool.ts'

const NOW = 1_800_000_000_000
const taken: Verdict = { kind: 'taken' }
let folder = ''
let root = ''

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'spool-'))
  root = path.join(folder, '.steadfold')
  fs.mkdirSync(path.join(root, 'spool'), { recursive: true, mode: 0o700 })
})
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }))

const spool = (maxBytes?: number) =>
  new Spool({ root, now: () => NOW, ...(maxBytes === undefined ? {} : { maxBytes }) })
const place = (name: string) => path.join(root, 'spool', `${name}.fact`)

function factText(value: string, more: Readonly<Record<string, string>> = {}): string {
  const head = { session: 's1', actor: 'tool:shell', op: 'output.set', name: 'KEY', ...more }
  const words = Object.entries(head).map(([word, text]) => `${word}: ${text}\n`)
  return `steadfold-fact 1\n${words.join('')}\n${value}\n${more['until'] ?? '#end'}\n`
}

/** Age in seconds before NOW. */
function write(name: string, text: string | Buffer, age = 0): void {
  fs.writeFileSync(place(name), text)
  fs.utimesSync(place(name), NOW / 1000 - age, NOW / 1000 - age)
}

const values = (facts: readonly Fact[]) => facts.map((fact) => fact.value.toString())
const files = () =>
  fs
    .readdirSync(path.join(root, 'spool'))
    .filter((name) => name !== 'taken')
    .sort()

async function takeAll(from: Spool): Promise<readonly Fact[]> {
  const seen: Fact[] = []
  await from.take(async (facts) => facts.map((fact) => (seen.push(fact), taken)))
  return seen
}

describe('facts', () => {
  test('F1: a fact without its trailer is unfinished at every length', () => {
    const whole = Buffer.from(factText('one\ntwo'))
    for (let length = 0; length < whole.length; length++) {
      expect(parseFact('a', whole.subarray(0, length)).kind).toBe('unfinished')
    }
    expect(parseFact('a', whole).kind).toBe('fact')
  })

  test('F1: a value that holds the plain trailer is unfinished until its own trailer stands', () => {
    const whole = Buffer.from(factText('x\n#end\ny\n#end\n', { until: '#end 17-4f' }))
    for (let length = 0; length < whole.length; length++) {
      expect(parseFact('a', whole.subarray(0, length)).kind).toBe('unfinished')
    }
    expect(parseFact('a', whole)).toMatchObject({ fact: { value: Buffer.from('x\n#end\ny\n#end\n') } })
  })

  test.each(['#finis', 'end of it', '#', 'übung', 'name: KEY'])('F1: %j ends a fact that says so', (until) => {
    const value = 'x\n#end\ny\n#end\n'
    const whole = Buffer.from(factText(value, { until }))
    for (let length = whole.indexOf('\n\n') + 2; length < whole.length; length++) {
      expect(parseFact('a', whole.subarray(0, length)).kind).toBe('unfinished')
    }
    expect(parseFact('a', whole)).toMatchObject({ fact: { value: Buffer.from(value) } })
  })

  test('F1: where no trailer is said it is the plain one', () => {
    expect(parseFact('a', Buffer.from(factText('v', { until: '' }).replace(/\n$/, '#end\n'))).kind).toBe('fact')
  })

  test('F2: any bytes come back', () => {
    const bytes = fc.uint8Array({ maxLength: 64 })
    fc.assert(
      fc.property(bytes, (value) => {
        const text = Buffer.concat([Buffer.from(factText('').replace(/\n#end\n$/, '')), value, Buffer.from('\n#end\n')])
        const parsed = parseFact('a', text)
        expect(parsed.kind === 'fact' && Buffer.compare(parsed.fact.value, value)).toBe(0)
      }),
      { numRuns: 500 },
    )
  })

  test('F3: an unknown word is passed over', () => {
    expect(parseFact('a', Buffer.from(factText('v', { colour: 'red' }))).kind).toBe('fact')
  })

  test.each([
    ['another version', factText('v').replace('fact 1', 'fact 2')],
    ['no head', 'hello\n#end\n'],
    ['no operation', factText('v').replace(/op: .*\n/, '')],
    ['an operation with a path in it', factText('v', { op: '../x' })],
    ['an actor of no kind', factText('v', { actor: 'root' })],
    ['an actor of a kind that no log has', factText('v', { actor: 'system:clock' })],
    ['an actor with a space', factText('v', { actor: 'tool:evil one' })],
    ['an actor without an id', factText('v', { actor: 'tool:' })],
    ['a carriage return behind the operation', factText('v', { op: 'output.set\r' })],
    ['a control character in the name', factText('v', { name: 'a\u001b[2J' })],
    ['no value', factText('').replace('\n\n\n#end', '\n\n#end')],
  ])('F3: %s is malformed', (_, text) => {
    expect(parseFact('a', Buffer.from(text)).kind).toBe('malformed')
  })

  test('F2: what is not UTF-8 is refused with a code, and a byte order mark stays', () => {
    const fact = { id: 'a', at: '', session: '', actor: 'tool:shell', op: 'output.set', name: 'K' }
    expect(() => inputOf({ ...fact, value: Buffer.from([0xff, 0xfe]) })).toThrow(EngineError)
    expect(inputOf({ ...fact, value: Buffer.from('\uFEFFx') })).toEqual({ name: 'K', value: '\uFEFFx' })
    expect(inputOf({ ...fact, op: 'session.mark', value: Buffer.from('{"name":"m"}') })).toEqual({ name: 'm' })
    expect(() => inputOf({ ...fact, op: 'session.mark', value: Buffer.from('m') })).toThrow(EngineError)
  })
})

describe('spool', () => {
  test('S1: facts are gone from the spool after they were taken, and their keys are their names', async () => {
    write('10-1', factText('a'))
    write('10-2', factText('b'))
    expect(spoolWaits(root, NOW)).toBe(true)
    const seen = await takeAll(spool())
    expect(values(seen)).toEqual(['a', 'b'])
    expect(seen.map(keyOf)).toEqual(['spool:10-1', 'spool:10-2'])
    expect(files()).toEqual([])
    expect(spoolWaits(root, NOW)).toBe(false)
  })

  test('S1: when the commit fails every fact stays, and the next take hands in the same keys', async () => {
    write('10-1', factText('a'))
    const first = spool()
    await expect(first.take(() => Promise.reject(new Error('disk full')))).rejects.toThrow('disk full')
    expect(files()).toEqual(['10-1.fact'])
    expect((await takeAll(first)).map(keyOf)).toEqual(['spool:10-1'])
  })

  test('S1: a fact that another process has deleted meanwhile is no error', async () => {
    write('10-1', factText('a'))
    const done = await spool().take(async (facts) => {
      fs.rmSync(place('10-1'))
      return facts.map(() => taken)
    })
    expect(done.taken).toBe(0)
  })

  test('S1: takes of one process run one after the other', async () => {
    for (let i = 0; i < 20; i++) write(`10-${100 + i}`, factText(String(i)))
    const shared = spool()
    const both = await Promise.all([takeAll(shared), takeAll(shared)])
    expect(both.map((facts) => facts.length)).toEqual([20, 0])
  })

  test('S2: facts of one process are in the order of their names though the clock went back', () => {
    write('10-7-100', factText('first'), 10)
    write('10-7-101', factText('second'), 7200)
    write('10-7-102', factText('third'), 5)
    expect(values(spool().list())).toEqual(['first', 'second', 'third'])
  })

  test('S2: facts of several processes are in the order of their times', () => {
    write('10-7-100', factText('1'), 30)
    write('99-9-100', factText('2'), 20)
    write('10-7-101', factText('3'), 10)
    expect(values(spool().list())).toEqual(['1', '2', '3'])
  })

  test("S2: at the same time a subshell's facts stand where it was started", () => {
    write('10-7-102', factText('4'))
    write('10-7-101_11-8-100', factText('2'))
    write('10-7-101_11-8-101', factText('3'))
    write('10-7-101', factText('1'))
    expect(values(spool().list())).toEqual(['1', '2', '3', '4'])
  })

  test('S3: an unfinished fact is left alone however old it is', async () => {
    write('10-1', factText('a').slice(0, -2), 1_000_000)
    expect(await takeAll(spool())).toEqual([])
    expect(files()).toEqual(['10-1.fact'])
    expect(spool().unfinished()).toEqual(['10-1.fact'])
    write('10-1', factText('a'))
    expect(values(await takeAll(spool()))).toEqual(['a'])
  })

  test('S3: a malformed fact is put aside with its reason after a minute, not before', async () => {
    write('10-1', 'rubbish\n#end\n', 30)
    await takeAll(spool())
    expect(files()).toEqual(['10-1.fact'])
    write('10-1', 'rubbish\n#end\n', 61)
    await takeAll(spool())
    expect(files()).toEqual(['rejected'])
    expect(spool().rejected()).toEqual([{ file: '10-1.fact', reason: expect.stringContaining('steadfold-fact 1') }])
    expect(fs.statSync(path.join(root, 'spool', 'rejected')).mode & 0o777).toBe(0o700)
  })

  test.each([
    ['an actor with a space', factText('v', { actor: 'tool:evil one' }), 'its "actor"'],
    ['a head that is wrong, and no trailer', factText('v', { actor: 'system:x' }).replace('#end', ''), 'its "actor"'],
    ['a trailer that is no text', Buffer.from(factText('v', { until: '\u00ff' }), 'latin1'), 'its "until"'],
    ['no empty line where the head must have ended', 'x'.repeat(5000), 'steadfold-fact 1'],
  ])('S3: a fact with %s is put aside, not left for ever', async (_, text, reason) => {
    write('10-1', text, 61)
    expect(await takeAll(spool())).toEqual([])
    expect(spool().unfinished()).toEqual([])
    expect(spool().rejected()).toEqual([{ file: '10-1.fact', reason: expect.stringContaining(reason) }])
  })

  test('S4: a fact that a rule refuses is put aside byte for byte, and the others go on', async () => {
    write('10-1', factText('bad'))
    write('10-2', factText('good'))
    const done = await spool().take(async (facts) =>
      facts.map((fact) => (fact.value.toString() === 'bad' ? { kind: 'rejected', reason: 'NAME_INVALID' } : taken)),
    )
    expect(done).toEqual({ taken: 1, rejected: [{ file: '10-1.fact', reason: 'NAME_INVALID' }] })
    expect(fs.readFileSync(path.join(root, 'spool/rejected/10-1.fact'), 'utf8')).toBe(factText('bad'))
    expect(files()).toEqual(['rejected'])
  })

  test('S5: links, pipes, folders and oversized files are not read, and are put aside as they are', async () => {
    const secret = path.join(folder, 'secret')
    fs.writeFileSync(secret, factText('secret'))
    fs.symlinkSync(secret, place('1-link'))
    fs.lutimesSync(place('1-link'), 1, 1)
    fs.mkdirSync(place('2-folder'))
    fs.utimesSync(place('2-folder'), 1, 1)
    execFileSync('mkfifo', [place('3-pipe')])
    fs.utimesSync(place('3-pipe'), 1, 1)
    write('4-large', factText('x'.repeat(2000)), 100)
    expect(await takeAll(spool(1000))).toEqual([])
    expect(files()).toEqual(['rejected'])
    expect(fs.readFileSync(secret, 'utf8')).toBe(factText('secret'))
    expect(fs.lstatSync(path.join(root, 'spool/rejected/1-link.fact')).isSymbolicLink()).toBe(true)
  })

  test('S5: a spool that is a link is refused', () => {
    fs.renameSync(path.join(root, 'spool'), path.join(folder, 'elsewhere'))
    fs.symlinkSync(path.join(folder, 'elsewhere'), path.join(root, 'spool'))
    expect(() => spool().list()).toThrow(EngineError)
  })

  test('S6: what was taken is deleted ten minutes later', async () => {
    const at = (minutes: number) => new Spool({ root, now: () => Date.now() + minutes * 60_000 })
    write('10-1', factText('a'))
    await takeAll(at(0))
    const kept = path.join(root, 'spool', 'taken')
    expect(fs.readdirSync(kept)).toEqual(['10-1.fact'])
    expect(fs.statSync(kept).mode & 0o777).toBe(0o700)
    await takeAll(at(9))
    expect(fs.readdirSync(kept)).toEqual(['10-1.fact'])
    await takeAll(at(11))
    expect(fs.readdirSync(kept)).toEqual([])
  })

  test('S3: other files, and a missing folder, are nothing', () => {
    fs.writeFileSync(path.join(root, 'spool', '.10-1.fact'), factText('a'))
    fs.writeFileSync(path.join(root, 'spool', 'note.txt'), factText('a'))
    expect(spool().list()).toEqual([])
    fs.rmSync(path.join(root, 'spool'), { recursive: true })
    expect(spool().list()).toEqual([])
    expect(spoolWaits(root, NOW)).toBe(false)
  })

  test('S1: more facts than fit one batch are all taken once, in order', async () => {
    for (let i = 0; i < 1200; i++) write(`10-7-${10_000 + i}`, factText(String(i)))
    expect(values(await takeAll(spool()))).toEqual(Array.from({ length: 1200 }, (_, i) => String(i)))
  })
})

test('S4 a fact of a journal that has to wait is not lost where the disk is full while it gets its own file', async () => {
  const journal = path.join(root, 'spool', 'p1-0.facts')
  fs.writeFileSync(journal, factText('precious', { n: '1' }))
  fs.utimesSync(journal, NOW / 1000 - 5, NOW / 1000 - 5)
  const waits = async (facts: readonly Fact[]) => facts.map((): Verdict => ({ kind: 'waits' }))
  const { writeSync, writeFileSync } = builtin
  const half = (fd: number, bytes: Uint8Array) => {
    writeSync(fd, bytes, 0, 20)
    throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
  }
  Object.assign(builtin, {
    writeSync: half,
    writeFileSync: (file: string, bytes: Buffer) => half(fs.openSync(file, 'wx'), bytes),
  })
  syncBuiltinESMExports()
  try {
    await expect(spool().take(waits)).rejects.toMatchObject({ code: 'DISK_FULL' })
  } finally {
    Object.assign(builtin, { writeSync, writeFileSync })
    syncBuiltinESMExports()
  }
  await spool().take(waits)
  expect(values(await takeAll(spool()))).toEqual(['precious'])
})
