import { expect, test } from 'vitest'
import { chainOf, sha256 } from '../../../test/conformance/kit.ts'
import { Chain, START } from './chain.ts'
import { soundEnds } from './sound.ts'

const lines = chainOf(3, START)
const text = lines.map(({ line }) => line)

test('the ends are those of whole lines that are what their hash says', () => {
  const [one = '', two = '', three = ''] = text
  const altered = two.replace('"2"', '"9"')
  const bytes = Buffer.from(`${one}${altered}\n${three.slice(0, 50)}\n${three}${one.slice(0, -1)}`)
  const last = bytes.length - one.length
  expect([...soundEnds(bytes, sha256)]).toEqual([one.length - 1, last])
  expect([...soundEnds(Buffer.alloc(0), sha256)]).toEqual([])
})

test('what was found ahead is not hashed again, and what was not found is', () => {
  const bytes = Buffer.from(text.join(''))
  const hashed: number[] = []
  const chain = new Chain(START, (each) => {
    hashed.push(each.length)
    return sha256(each)
  })
  const [first = 0, , third = 0] = soundEnds(bytes, sha256)
  chain.scan({ bytes, segment: 1, offset: 0, sound: Uint32Array.of(first, third) })
  expect(chain.position.seq).toBe(3)
  expect(hashed).toHaveLength(1)
})
