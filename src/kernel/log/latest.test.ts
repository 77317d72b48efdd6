import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Commit } from './commit.ts'
import { latestOf } from './latest.ts'

const SHORT = 60

/** A log of so many commits, and the ranges that were read of it. */
function logOf(length: number) {
  const asked: (readonly [after: number, until: number])[] = []
  async function* commits(after: number, until: number): AsyncGenerator<Commit> {
    asked.push([after, until])
    for (let seq = after + 1; seq <= Math.min(until, length); seq++)
      yield { v: 1, seq, at: '', id: '', actor: '', op: '', cause: null, events: [], prev: '', hash: '' }
  }
  return { asked, commits }
}

test('the last that fit are those at the end of all that fit, and nothing is read twice', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        length: fc.nat(SHORT),
        after: fc.nat(SHORT),
        until: fc.nat(SHORT),
        most: fc.oneof(fc.nat(SHORT), fc.constant(Infinity)),
        every: fc.integer({ min: 1, max: 9 }),
      }),
      async ({ length, after, until, most, every }) => {
        const { asked, commits } = logOf(length)
        const fits = ({ seq }: Commit) => seq % every === 0
        const found = await latestOf(commits, { after, until, most, fits })
        const all = Array.from({ length }, (_, index) => index + 1).filter(
          (seq) => seq > after && seq <= until && seq % every === 0,
        )
        expect(found.map(({ seq }) => seq)).toEqual(all.slice(Math.max(0, all.length - most)))
        for (const [index, [from, to]] of asked.entries()) {
          expect(from).toBeLessThan(to)
          expect(to).toBe(index === 0 ? until : asked[index - 1]?.[0])
        }
      },
    ),
  )
})

test('where there is room for fewer, hardly more are found, but never less than two where there are', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({ length: fc.nat(SHORT), most: fc.integer({ min: 1, max: SHORT }), room: fc.nat(200) }),
      fc.integer({ min: 1, max: 9 }),
      async ({ length, most, room }, every) => {
        const { commits } = logOf(length)
        const fits = ({ seq }: Commit) => seq % every === 0
        const found = await latestOf(commits, { after: 0, until: length, most, fits, room })
        const all = await latestOf(commits, { after: 0, until: length, most, fits })
        // Each of these has the two characters of an empty list.
        const least = Math.min(all.length, Math.max(2, Math.floor(room / 2) + 1))
        expect(found).toEqual(all.slice(all.length - found.length))
        expect([least, Math.min(all.length, least + 1)]).toContain(found.length)
      },
    ),
  )
})

test('where all fit, no more is read than is asked for', async () => {
  const { asked, commits } = logOf(100_000)
  expect((await latestOf(commits, { after: 0, until: 100_000, most: 3, fits: () => true })).length).toBe(3)
  expect(asked).toEqual([[99_997, 100_000]])
})
