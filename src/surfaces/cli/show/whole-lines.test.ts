import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isWhole, WholeLines } from './whole-lines.ts'

test('what each has written comes whole and in order, and only its end may lack a newline', () => {
  const chunk = fc.tuple(fc.constantFrom('one', 'two'), fc.stringMatching(/^[ä\n]{0,4}$/))
  fc.assert(
    fc.property(fc.array(chunk), fc.nat(3), (chunks, cut) => {
      const lines = new WholeLines()
      const shown = new Map<string, Uint8Array[]>()
      const show = (writer: string, bytes: Uint8Array) =>
        shown.set(writer, [...(shown.get(writer) ?? []), Uint8Array.from(bytes)])
      for (const [writer, text] of chunks) {
        const bytes = Buffer.from(text)
        for (const part of [bytes.subarray(0, cut), bytes.subarray(cut)]) {
          const whole = lines.add(writer, part)
          expect(whole.length === 0 || isWhole(whole)).toBe(true)
          show(writer, whole)
        }
      }
      for (const writer of ['one', 'two']) {
        show(writer, lines.rest(writer))
        const written = chunks.flatMap(([by, text]) => (by === writer ? [text] : []))
        expect(Buffer.concat(shown.get(writer) ?? []).toString()).toBe(written.join(''))
      }
    }),
  )
})
