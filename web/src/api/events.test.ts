import { expect, test } from 'vitest'
import { eventReader } from './events.ts'

const STREAM = 'id: 1\nevent: commit\ndata: {"a":1}\n\nevent: heartbeat\ndata: {}\n\n'
const EVENTS = [
  { type: 'commit', id: '1', data: '{"a":1}' },
  { type: 'heartbeat', id: undefined, data: '{}' },
]

test('events come as soon as they are whole', () => {
  const read = eventReader()
  expect(read('id: 7\nevent: com')).toEqual([])
  expect(read('mit\ndata: {}\n')).toEqual([])
  expect(read('\n')).toEqual([{ type: 'commit', id: '7', data: '{}' }])
})

test('however a stream is cut, the events are the same', () => {
  for (let size = 1; size < STREAM.length; size++) {
    const read = eventReader()
    const pieces = Array.from({ length: Math.ceil(STREAM.length / size) }, (_, i) =>
      STREAM.slice(i * size, (i + 1) * size),
    )
    expect(pieces.flatMap(read)).toEqual(EVENTS)
  }
})

test('comments say nothing, and data may have several lines', () => {
  expect(eventReader()(': ping\n\ndata: a\ndata: b\n\n')).toEqual([{ type: 'message', id: undefined, data: 'a\nb' }])
})
