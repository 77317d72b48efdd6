import { afterEach, beforeEach, expect, test, vi, type MockInstance } from 'vitest'
import { processIo } from '../show/io.ts'
import { world } from './world.ts'

const EVENTS = ['SIGINT', 'SIGTERM', 'uncaughtException', 'warning'] as const
const { emitWarning } = process
const known = EVENTS.map((event) => [event, process.rawListeners(event)] as const)
let exit: MockInstance<typeof process.exit>

beforeEach(() => {
  for (const event of EVENTS) process.removeAllListeners(event)
  exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never)
})
afterEach(() => {
  process.emitWarning = emitWarning
  for (const [event, listeners] of known) {
    process.removeAllListeners(event)
    // As they were.
    for (const listener of listeners) process.on(event, listener as () => void)
  }
  exit.mockRestore()
})

test('S1 a command that never asks whether it is stopped is stopped at once', () => {
  world(processIo)
  process.emit('SIGTERM', 'SIGTERM')
  expect(exit.mock.calls).toEqual([[143]])
})

test('S1 one that asks stops of itself, and at once the second time', () => {
  const { signal } = world(processIo)
  process.emit('SIGINT', 'SIGINT')
  expect(signal.aborted).toBe(true)
  expect(exit).not.toHaveBeenCalled()
  process.emit('SIGINT', 'SIGINT')
  expect(exit.mock.calls).toEqual([[130]])
})

test('S1 of two worlds the later one is told', () => {
  const [earlier, later] = [world(processIo), world(processIo)]
  expect(later.signal.aborted).toBe(false)
  process.emit('SIGTERM', 'SIGTERM')
  expect(later.signal.aborted).toBe(true)
  expect(earlier.signal.aborted).toBe(false)
  expect(exit).not.toHaveBeenCalled()
})
