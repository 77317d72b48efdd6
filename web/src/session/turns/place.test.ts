import { expect, test } from 'vitest'
import { placeOf, rankOf } from './place.ts'

const seat = (agent: string, position: number, state: 'ACTIVE' | 'QUEUED' | 'OFFLINE' | 'IDLE') => ({
  agent,
  position,
  state,
})

const SEATS = [seat('pm', 1, 'ACTIVE'), seat('dev', 2, 'OFFLINE'), seat('qa', 3, 'QUEUED'), seat('ops', 4, 'QUEUED')]

test('who speaks, who comes next, and who is away and keeps its place', () => {
  const channel = { active: 'pm', queue: ['qa', 'ops'] }
  const rows = SEATS.toSorted((a, b) => rankOf(channel, a) - rankOf(channel, b))
  expect(rows.map((row) => [row.agent, placeOf(channel, row)])).toEqual([
    ['pm', 'speaks'],
    ['qa', 'next'],
    ['ops', '2.'],
    ['dev', 'away, keeps place 2'],
  ])
})

test('while nobody has the turn all have their places', () => {
  const channel = { active: null, queue: [] }
  const seats = [seat('pm', 1, 'IDLE'), seat('dev', 2, 'OFFLINE')]
  expect(seats.map((row) => placeOf(channel, row))).toEqual(['place 1', 'away, keeps place 2'])
})
