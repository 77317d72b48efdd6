import { spawn } from 'node:child_process'
import { expect, test } from 'vitest'
import { processIo } from '../show/io.ts'
import { inForeground } from './child.ts'

/** Ends only when it is told to. */
const waiting = () => spawn('sh', ['-c', 'exec sleep 60'], { stdio: 'ignore' })

test('what would have ended us before the command began ends the command', async () => {
  const { ended, leave } = inForeground({ signal: AbortSignal.abort('SIGTERM'), io: processIo }, waiting)
  expect(await ended).toEqual({ exit: 143, signal: 'SIGTERM', failure: undefined })
  leave()
})

test('a hangup does not end us from the moment on from which the command may be at work', async () => {
  const before = process.listenerCount('SIGHUP')
  const heard: number[] = []
  const start = () => {
    heard.push(process.listenerCount('SIGHUP'))
    return waiting()
  }
  const { child, ended, leave } = inForeground({ signal: new AbortController().signal, io: processIo }, start)
  child?.kill('SIGKILL')
  await ended
  leave()
  expect([...heard, process.listenerCount('SIGHUP')]).toEqual([before + 1, before])
})

test.each([
  [true, 'SIGTERM'],
  [false, 'SIGINT'],
])('Ctrl-C goes on to the command where no terminal sends it (a terminal: %s)', async (isTerminal, signal) => {
  const stop = new AbortController()
  const io = { ...processIo, isTerminal: () => isTerminal }
  const { child, ended, leave } = inForeground({ signal: stop.signal, io }, waiting)
  stop.abort('SIGINT')
  if (isTerminal) child?.kill('SIGTERM')
  expect(await ended).toMatchObject({ signal })
  leave()
})

test.each([
  ['/nowhere/such', 127, 'ENOENT'],
  ['/', 126, 'EACCES'],
  // Of these Node throws.
  ['/etc/passwd/such', 126, 'ENOTDIR'],
  [`/${'x'.repeat(300)}`, 126, 'ENAMETOOLONG'],
])('%s, which cannot be started, ends with %i', async (program, exit, code) => {
  const context = { signal: new AbortController().signal, io: processIo }
  const { ended, leave } = inForeground(context, () => spawn(program))
  expect(await ended).toMatchObject({ exit, signal: undefined, failure: { code } })
  leave()
})
