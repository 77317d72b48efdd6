import { expect, test } from 'vitest'
import { ReaderGone } from '../show/io.ts'
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

test.each([false, true])(
  'where nobody reads the answer its exit status is that of what was done (--json: %s)',
  async (json) => {
    const out = () => {
      throw new ReaderGone()
    }
    const command = { name: 'run', run: () => Promise.resolve({ data: null, text: 'parked', exit: 11 }) }
    const world = { io: { out }, env: {}, cwd: '/', signal: new AbortController().signal, isStopped: false }
    expect(
      await perform({} as never, { command, input: json ? { '--json': true } : {} } as never, world as never),
    ).toBe(11)
  },
)
