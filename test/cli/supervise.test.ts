/* What the commands of supervise make of words, files and terminals. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Place } from './binary.ts'

let place: Place
beforeAll(() => {
  place = new Place()
  place.run('session', 'create', 'main')
})
afterAll(() => place.remove())

const WRONG: readonly (readonly [words: string, status: number, said: RegExp])[] = [
  ['start research', 64, /as words, or as a list in --file/],
  ['start guesswork a', 64, /one of research, implementation, testing/],
  ['start implementation a b --needs c:a', 64, /--needs takes WORKER:…, where WORKER is one of a, b/],
  ['start implementation a b --needs a:b --needs b:a', 4, /a → b → a/],
  ['start implementation a b --files a:src --files b:src/x.ts', 4, /both claim "src" and "src\/x.ts"/],
  ['start testing a', 4, /--stage a:generation/],
  ['start research --file nothing.json', 3, /nothing.json/],
  ['show', 3, /supervise start KIND WORKER/],
  ['report a', 3, /supervise start KIND WORKER/],
  ['report a --metric many', 64, /NAME=NUMBER/],
]

describe('what is wrong is said, with what to do and the right status', () => {
  test.each(WRONG)('supervise %s: exit %s', (words, status, said) => {
    const done = place.run('supervise', ...words.split(' '))
    expect(done.status, done.err).toBe(status)
    expect(done.err).toMatch(said)
    expect(done.err).toMatch(/^next: /m)
    expect(done.out).toBe('')
  })
})

test('workers from words and from a file are the same plan', () => {
  const words = 'a b c --needs c:a,b --files a:src/a.ts,src/b.ts --topic b:the-other'.split(' ')
  const given = [
    { id: 'a', files: ['src/a.ts', 'src/b.ts'] },
    { id: 'b', topic: 'the-other' },
    { id: 'c', needs: ['a', 'b'] },
  ]
  const file = place.file('plan.json', JSON.stringify(given))
  const [first, second] = [words, ['--file', file]].map(
    (more) =>
      place.data<{ events: readonly { data: object }[] }>('supervise', 'start', 'implementation', ...more, '--dry-run')
        .events[0]?.data,
  )
  expect(first).toEqual(second)
  expect(first).toMatchObject({ waves: [['a', 'b'], ['c']], min_success: 0.5 })
})

test('a report is read from a file or stdin, shown, and its control characters do not reach a terminal', () => {
  place.run('supervise', 'start', 'research', 'one', 'two', '--id', 'looks')
  place.file('one.md', '# One\n\nFirst.\n')
  expect(place.run('supervise', 'report', 'one', 'one.md').out).toContain('one is done: One')
  const done = place.runWith({ input: '# \u001b[31mTwo\n\n\u202eSecond.\n' }, 'supervise', 'report', 'two', '-')
  expect(done.out).toContain('looks ended: completed')
  interface Shown {
    readonly aggregate: { readonly reports_created: readonly string[] }
  }
  const { aggregate } = place.data<Shown>('supervise', 'show', 'looks')
  expect(aggregate).toMatchObject({ summary: 'One: First. [31mTwo: Second.', workers_succeeded: 2 })
  expect(aggregate.reports_created[0]).toBe('one.md')
  expect(place.run('supervise', 'show', 'looks', 'one').out).toBe('# One\n\nFirst.\n')
  // oxlint-disable-next-line no-control-regex -- these must not be there
  expect(place.run('supervise', 'show', 'looks', 'two').out).not.toMatch(/[\u001b\u202e]/)
})
