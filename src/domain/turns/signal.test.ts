import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSignal, readSignal } from './signal.ts'

const WORD = 'TURN_COMPLETE'

/** Message, what is posted; undefined when it is no signal. */
const cases: readonly (readonly [message: string, text: string | undefined])[] = [
  ['I would take the second plan.\n\nTURN_COMPLETE', 'I would take the second plan.'],
  ['Looked at both. TURN_COMPLETE', 'Looked at both.'],
  ['TURN_COMPLETE', ''],
  ['  TURN_COMPLETE \r\n', ''],
  ['Fine.\n**TURN_COMPLETE**', 'Fine.'],
  ['Fine. *TURN_COMPLETE*', 'Fine.'],
  ['Fine. _TURN_COMPLETE_', 'Fine.'],
  ['Fine. __TURN_COMPLETE__', 'Fine.'],
  ['Fine. `TURN_COMPLETE`', 'Fine.'],
  ['Fine. **`TURN_COMPLETE`**', 'Fine.'],
  ['Fine. ~~TURN_COMPLETE~~', 'Fine.'],
  ['**Fine. TURN_COMPLETE**', '**Fine.**'],
  ['(TURN_COMPLETE', '('],
  ['turn_complete', undefined],
  ['Turn_Complete', undefined],
  ['TURN_COMPLETE and one thing more', undefined],
  ['First TURN_COMPLETE then more', undefined],
  ['NOT_TURN_COMPLETE', undefined],
  ['RETURN_COMPLETE', undefined],
  ['XTURN_COMPLETE', undefined],
  ['éTURN_COMPLETE', undefined],
  ['TURN_COMPLETED', undefined],
  ['TURN_COMPLETE**', undefined],
  ['*TURN_COMPLETE', undefined],
  ['x_TURN_COMPLETE_', undefined],
  ['TURN COMPLETE', undefined],
  ['', undefined],
]

test.each(cases)('T4 %j leaves %j', (message, text) => {
  expect(readSignal(message, WORD)).toEqual(
    text === undefined ? { signal: false, text: message } : { signal: true, text },
  )
})

test('T4 what is left never ends in the signal by itself, and is the beginning of the message', () => {
  const part = fc.constantFrom('a', ' ', '\n', '*', '_', '`', WORD, 'TURN', 'é', '😀')
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const message = parts.join('')
      const { signal, text } = readSignal(message, WORD)
      if (!signal) expect(text).toBe(message)
      else expect(message.length - text.length).toBeGreaterThanOrEqual(WORD.length)
      expect(message.startsWith(text.replace(/[*_`~]+$/, ''))).toBe(true)
    }),
    { numRuns: 2000 },
  )
})

test('T4 another word can be the signal, when it can be told from Markdown', () => {
  expect(readSignal('Fine. [done]', '[done]')).toEqual({ signal: true, text: 'Fine.' })
  expect(readSignal('Fine. FERTIG', 'FERTIG')).toEqual({ signal: true, text: 'Fine.' })
  expect(['[done]', 'OVER', ''].map(isSignal)).toEqual([true, true, false])
  expect(['two words', '*OVER*', '_x', 'y`'].some(isSignal)).toBe(false)
})

test('T4 a message of a million characters is read in one go', () => {
  const long = '*'.repeat(500_000) + ' x '.repeat(150_000)
  expect(readSignal(`${long} TURN_COMPLETE`, WORD).signal).toBe(true)
  expect(readSignal(long, WORD).signal).toBe(false)
})
