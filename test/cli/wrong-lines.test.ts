/* What is answered to lines that somebody is likely to try. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Place } from './binary.ts'

let place: Place
beforeAll(() => {
  place = new Place()
  place.data('session', 'create', 'main')
})
afterAll(() => place.remove())

function wrong(...args: readonly string[]) {
  const { status, out } = place.run(...args, '--json')
  return { status, ...(JSON.parse(out) as { readonly error: Readonly<Record<string, unknown>> }).error }
}

test('what an error repeats moves no cursor and paints nothing', () => {
  const word = 'x\u001b[2J\u001b[31m\u202ey'
  for (const line of [['session', 'show', word], ['show', '--session', word], [`a${word}`], ['task', word]]) {
    const { err, status } = place.run(...line)
    expect(err).toMatch(/^error: .*\\e\[2J\\e\[31m\\u202ey/)
    expect(status).toBeGreaterThan(2)
  }
})

test.each(['stats', 'status', 'verify'])('%s of a point says that it tells of now', (command) => {
  expect(wrong(command, '--session', 'main@1')).toMatchObject({
    status: 64,
    code: 'USAGE',
    message: 'this tells how a session stands now, not as it was at @1',
  })
})

test('show of a point at another one is asked which', () => {
  const expected = { status: 64, code: 'USAGE', message: 'two points: 1 and @' }
  expect(wrong('show', '1', '--at', '@')).toMatchObject(expected)
  expect(wrong('show', '1', '--session', 'main@@')).toMatchObject({ ...expected, hint: expect.anything() as unknown })
  expect(place.data('show', 'session.name', '--at', '1')).toMatchObject({ value: 'main', seq: 1 })
})

test('diff up to two points is asked which', () => {
  expect(wrong('diff', '1', '@', '--session', 'main@1')).toMatchObject({
    status: 64,
    code: 'USAGE',
    message: 'two points: @ and 1',
  })
})

test('one operation alone is no patch', () => {
  const one = '{"op":"add","path":"/data/x","value":1}'
  const expected = { status: 4, code: 'PATCH_INVALID', hint: expect.stringContaining('[') as unknown }
  expect(wrong('state', 'patch', one)).toMatchObject(expected)
  expect(wrong('state', 'patch', '--file', place.file('one.json', one))).toMatchObject(expected)
  place.data('state', 'patch', `[${one}]`)
})

test.each(['workflow import', 'turn import', 'state patch --file', 'supervise start research --file'])(
  '%s: what is wrong with a file is said with its name, and what mends it',
  (line) => {
    expect(wrong(...line.split(' '), place.file('half.json', '[{"a":'))).toMatchObject({
      status: 4,
      code: 'JSON_INVALID',
      message: expect.stringMatching(/half\.json: .* at 1:7$/) as unknown,
      hint: expect.not.stringContaining('string') as unknown,
    })
  },
)

test('a checkpoint on stdin is read, and one that is no UTF-8 is told with what mends it', () => {
  const done = place.runWith({ input: Buffer.from([0x7b, 0xff]) }, 'workflow', 'import', '-', '--json')
  expect([done.status, JSON.parse(done.out)]).toMatchObject([
    4,
    { error: { code: 'JSON_INVALID', hint: expect.stringContaining('UTF-8') as unknown } },
  ])
})

test('a noun with an unknown verb says which there are', () => {
  expect(wrong('session', 'nope')).toMatchObject({
    status: 64,
    message: expect.stringMatching(/"session nope".*create.*fork/) as unknown,
    hint: 'steadfold session --help',
  })
  expect(wrong('session', 'lst')).toMatchObject({
    status: 64,
    hint: expect.stringMatching(/list.*steadfold session --help/) as unknown,
  })
  expect(wrong('nope')).toMatchObject({ status: 64, message: 'unknown command "nope"' })
})

test.each([
  ['task', 'create', 'add'],
  ['session', 'rm', 'archive'],
  ['lock', 'take', 'acquire'],
])('%s %s: a verb of the same meaning comes before one of like letters', (noun, verb, meant) => {
  expect(wrong(noun, verb)).toMatchObject({
    status: 64,
    hint: expect.stringContaining(`did you mean ${meant}?`) as unknown,
  })
})

test.each([
  [
    ['session', 'create', 'my', 'session'],
    'session create takes NAME',
    'quote values that hold spaces; steadfold session',
  ],
  [['message', 'send', 'dev', 'look at it'], 'message send takes PAYLOAD', 'steadfold message send --help'],
  [['status', 'now'], 'status takes no words', 'quote values'],
])('%j: one word too many says what is taken', (words, message, hint) => {
  expect(wrong(...words)).toMatchObject({
    status: 64,
    message: expect.stringContaining(message) as unknown,
    hint: expect.stringMatching(`^${hint}`) as unknown,
  })
})

test('all that a word may be the beginning of are told, before one of like letters', () => {
  expect(wrong('channel', 'create', '--timeout', '3')).toMatchObject({
    status: 64,
    hint: 'did you mean --timeout-ms, --timeouts?',
  })
})

test('a verb without its noun says which nouns have it', () => {
  expect(wrong('query', '$..*')).toMatchObject({ status: 64, hint: 'did you mean state query?' })
  expect(wrong('set', 'a', '1')).toMatchObject({ status: 64, hint: 'did you mean state set, output set?' })
  expect(wrong('state', 'mes')).toMatchObject({ hint: expect.not.stringContaining('message') as unknown })
})

test.each([
  ['log', '-n', '1.5'],
  ['log', '-n', '-3'],
  ['tail', '-n', '1.5'],
  ['tail', '-n', '-3'],
  ['state', 'history', 'data.topic', '-n', '0.5'],
  ['state', 'history', 'data.topic', '-n', '-1'],
  ['wait', '--seq', '1.5'],
  ['wait', '--seq', '-5'],
])('%s %s %s: so many there are never', (...line) => {
  expect(wrong(...line)).toMatchObject({ status: 64, message: expect.stringContaining('a whole number') as unknown })
})

test.each([['--follow'], ['-f']])('log %s: tail is what follows', (flag) => {
  expect(wrong('log', flag)).toMatchObject({ status: 64, hint: expect.stringContaining('steadfold tail') as unknown })
})

test.each([
  [['run', 'any.workflow.yaml', '--timeout', '5m']],
  [['run', '--worker', '--repeatable']],
  [['run', '--agent', 'claude', '--timeout', '5m']],
])('%j: what only a single command hears is refused, not passed over', (line) => {
  const [flag = ''] = line.filter((word) => /^--(timeout|repeatable)$/.test(word))
  expect(wrong(...line)).toMatchObject({ status: 64, message: `${flag} is for a single command, behind --` })
})

test.each([
  ['run', '--timeout', '0', '--', 'true'],
  ['once', 'key', '--timeout', '0s', '--', 'true'],
  ['workflow', 'transition', 'research', '--timeout', '0ms', '--', 'true'],
])('%s %s %s %s: a command without any time is refused before anything is written', (...line) => {
  const written = () => place.data<readonly unknown[]>('log').length
  const before = written()
  expect(place.run(...line)).toMatchObject({
    status: 64,
    err: expect.stringContaining('--timeout takes a time above 0') as unknown,
  })
  expect(written()).toBe(before)
})

test.each(['-n=-3', '-n=3', '-n x', '--count=x', '-n -3', '--count=-3', '--count 1.5'])(
  'a wrong number is told with the flag in both its forms: %s',
  (line) => {
    expect(wrong('tail', ...line.split(' '))).toMatchObject({
      status: 64,
      message: expect.stringMatching(/^-n\/--count takes /) as unknown,
    })
  },
)

test.each([
  ['ui', '--file'],
  ['demo', '--input'],
  ['bundle', 'inspect'],
])('%s %s of a path through a file, or of one that is too long, says that nothing is there', (...line) => {
  fs.writeFileSync(path.join(place.dir, 'plain'), '')
  for (const file of ['plain/x', 'x'.repeat(300)]) {
    const { status, err } = place.run(...line, file)
    expect([status, err]).toEqual([3, expect.stringMatching(/^error: there is no .+\nnext: .+\n$/)])
  }
})
