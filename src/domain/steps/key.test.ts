import { describe, expect, test } from 'vitest'
import { stepKey, type Facts } from './key.ts'

describe('keys', () => {
  const facts: Facts = {
    name: 'a',
    command: 'x',
    patterns: [],
    inputs: {},
    env: {},
    reads: {},
    needs: {},
    artifacts: [],
  }
  const keyOf = (more: Partial<Facts>) => stepKey({ ...facts, ...more }, (text) => text)

  test('N1 everything that decides the result changes the key', () => {
    const changes: Partial<Facts>[] = [
      {},
      { name: 'b' },
      { command: ['x'] },
      { patterns: ['*'] },
      { inputs: { f: 'h' } },
      { inputs: { f: null } },
      { env: { A: '1' } },
      { reads: { A: ['a.b', '1'] } },
      { reads: { A: ['a.b', null] } },
      { needs: { z: {} } },
      { needs: { z: { f: 'h' } } },
      { artifacts: ['f'] },
    ]
    expect(new Set(changes.map(keyOf)).size).toBe(changes.length)
  })

  test('N1 the order in which facts were gathered does not', () => {
    expect(keyOf({ env: { A: '1', B: '2' } })).toBe(keyOf({ env: { B: '2', A: '1' } }))
  })
})
