import { spawn } from 'node:child_process'
import { expect, test } from 'vitest'
import { forwarding, statusOf } from './child.ts'
import { processIo } from './io.ts'

/** Ends only when it is told to. */
const waiting = () => spawn('sh', ['-c', 'exec sleep 60'], { stdio: 'ignore' })

test('what would have ended us before the command began ends the command', async () => {
  const child = waiting()
  const end = forwarding({ signal: AbortSignal.abort('SIGTERM'), io: processIo }, child)
  expect(await statusOf(child)).toEqual({ exit: 143, signal: 'SIGTERM', failure: undefined })
  end()
})

test.each([
  [true, 'SIGTERM'],
  [false, 'SIGINT'],
])('Ctrl-C goes on to the command where no terminal sends it (a terminal: %s)', async (isTerminal, signal) => {
  const stop = new AbortController()
  const child = waiting()
  const end = forwarding({ signal: stop.signal, io: { ...processIo, isTerminal: () => isTerminal } }, child)
  stop.abort('SIGINT')
  if (isTerminal) child.kill('SIGTERM')
  expect(await statusOf(child)).toMatchObject({ signal })
  end()
})

test.each([
  ['/nowhere/such', 127],
  ['/', 126],
])('%s, which cannot be started, ends with %i', async (program, exit) => {
  expect(await statusOf(spawn(program))).toMatchObject({
    exit,
    signal: undefined,
    failure: { syscall: `spawn ${program}` },
  })
})
