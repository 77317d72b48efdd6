import { expect, test } from 'vitest'
import { parseDefinition } from '../domain/workflow/parse.ts'
import { Board } from './board.ts'

function board(state: object, durations: Record<string, number> = {}, done: readonly string[] = []): Board {
  const parsed = parseDefinition({ states: { only: state } })
  const only = parsed.ok ? parsed.definition.states['only'] : undefined
  if (only === undefined) throw new Error('no definition')
  return new Board(only, new Map(Object.entries(durations)), (step) => done.includes(step))
}

const set = (on: Board, name: string, status: 'done' | 'failed' | 'running') => {
  const slot = on.slots.get(name)
  if (slot !== undefined) slot.status = status
}
const step = (...needs: string[]) => ({ run: 'true', needs })

test('D1 D3 of those whose needs are done, the longest remaining path goes first', () => {
  const on = board({ steps: { lone: step(), head: step(), tail: step('head') } }, { lone: 5, head: 1, tail: 9 })
  expect(on.next(0)?.name).toBe('head')
  set(on, 'head', 'running')
  expect(on.next(0)?.name).toBe('lone')
  set(on, 'head', 'done')
  expect(on.next(0)?.name).toBe('tail')
})

test('D1 needs of earlier states are asked for', () => {
  const steps = { one: step('before') }
  expect(board({ steps }, {}, ['before']).next(0)?.name).toBe('one')
  const missing = board({ steps })
  expect(missing.next(0)).toBeUndefined()
  expect(missing.skipHopeless()).toEqual([{ name: 'one', reason: 'needs before, which is not finished' }])
})

test('D2 what needs a failed step is skipped, and what needs that, too', () => {
  const on = board({ min_success: 0, steps: { a: step(), b: step('a'), c: step('b') } })
  set(on, 'a', 'failed')
  expect(on.skipHopeless().map(({ name }) => name)).toEqual(['b', 'c'])
})

test('D6 what was let run again is open, and what was skipped because of it; else nothing changes', () => {
  const on = board({ min_success: 0, steps: { a: step(), b: step('a'), c: step(), d: step('c') } })
  for (const name of ['a', 'c']) set(on, name, 'failed')
  on.skipHopeless()
  expect(on.reopen(() => false)).toEqual([])
  expect(on.reopen((name) => name === 'a' || name === 'b')).toEqual(['a', 'b', 'd'])
  expect([on.next(0)?.name, on.skipHopeless().map(({ name }) => name), on.names('failed')]).toEqual(['a', ['d'], ['c']])
})

test('D1 D2 a stage waits for the one before it, and is skipped when that missed its share', () => {
  const steps = { g1: { ...step(), stage: 'g' }, e1: { ...step(), stage: 'e' }, g2: { ...step(), stage: 'g' } }
  const half = board({ mode: 'stages', min_success: 0.5, steps })
  set(half, 'g1', 'failed')
  expect([half.next(0)?.name, half.skipHopeless()]).toEqual(['g2', []])
  set(half, 'g2', 'done')
  expect(half.next(0)?.name).toBe('e1')
  const whole = board({ mode: 'stages', steps })
  set(whole, 'g1', 'failed')
  set(whole, 'g2', 'done')
  expect(whole.skipHopeless()).toEqual([{ name: 'e1', reason: 'stage g missed its share' }])
})

test('D1 D2 of stages each step is looked at a few times, however many there are', () => {
  const names = Array.from({ length: 400 }, (_, i) => `s${i}`)
  const steps = Object.fromEntries(names.map((name, i) => [name, { ...step(), stage: `g${Math.floor(i / 4)}` }]))
  const on = board({ mode: 'stages', steps })
  let looks = 0
  for (const slot of on.slots.values()) {
    const { status } = slot
    Object.defineProperty(slot, 'status', { get: () => ((looks += 1), status) })
  }
  expect([on.next(0)?.name, on.wakeAt(), on.skipHopeless()]).toEqual(['s0', 0, []])
  expect(looks).toBeLessThan(20 * names.length)
})

test.each([
  [1, 2, false],
  [0.5, 2, true],
  [0.67, 2, false],
  [0.66, 2, true],
  [0, 0, true],
])('a share of %d of three steps is met by %i: %s', (min_success, done, met) => {
  const on = board({ min_success, steps: { a: step(), b: step(), c: step() } })
  for (const name of ['a', 'b', 'c'].slice(0, done)) set(on, name, 'done')
  expect(on.met()).toBe(met)
})

test('one that waits starts when its time has come', () => {
  const on = board({ steps: { a: step() } })
  const slot = on.slots.get('a')
  if (slot !== undefined) slot.notBefore = 100
  expect([on.next(99), on.wakeAt(), on.next(100)?.name]).toEqual([undefined, 100, 'a'])
})

test('D5 a clock that is set back makes no wait longer', () => {
  const on = board({ steps: { a: step() } })
  const slot = on.slots.get('a')
  if (slot !== undefined) slot.notBefore = 10_100
  expect([on.next(10_000), on.next(5000), on.wakeAt()]).toEqual([undefined, undefined, 5100])
  expect(on.next(5100)?.name).toBe('a')
})
