import { expect, test } from 'vitest'
import { perform } from './perform.ts'

test('what was stopped before it began is told so, not as a fault of the program', async () => {
  const signal = AbortSignal.abort('SIGINT')
  let told = ''
  const io = { err: (text: string | Uint8Array) => void (told += String(text)) }
  const command = { name: 'run', run: () => Promise.reject(signal.reason) }
  const world = { io, env: {}, cwd: '/', signal, isStopped: true }
  // No more of them is asked for.
  await perform({} as never, { command, input: {} } as never, world as never)
  expect(told).toBe('error: stopped before anything was begun\nnext: run it again\n')
})
