import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isActor } from './actor.ts'

const WHOLE = /^(human|agent|tool):[^\p{C}\s]{1,200}$/u
const kind = fc.constantFrom('human:', 'agent:', 'tool:', 'human', 'Agent:', '')
const unit = fc.constantFrom<'binary' | 'grapheme'>('binary', 'grapheme')

test('the short way to know an actor says what the long one would', () => {
  const word = unit.chain((each) =>
    fc.tuple(kind, fc.string({ unit: each, maxLength: 210 })).map((parts) => parts.join('')),
  )
  fc.assert(fc.property(word, (given) => isActor(given) === WHOLE.test(given)))
  for (const given of [
    'human:ana',
    'agent:ünï',
    'tool:',
    'human:a b',
    'agent:\u0007',
    `tool:${'x'.repeat(201)}`,
    'agent:~!',
  ])
    expect([given, isActor(given)]).toEqual([given, WHOLE.test(given)])
})
