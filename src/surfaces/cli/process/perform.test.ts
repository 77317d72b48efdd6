import { expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../../../compose.ts'
import type { Context } from '../context/context.ts'
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

test.each([
  ['write', true],
  ['read', false],
] as const)('S1 a command that is to %s in a session asks whether it is stopped: %s', async (use, expected) => {
  const workspace = makeWorkspace(memoryKernel())
  await workspace.createSession({ name: 'test' })
  let asked = false
  const world = {
    io: { out: () => undefined, err: () => undefined },
    env: {},
    cwd: '/',
    get isStopped() {
      return !(asked = true)
    },
  }
  const command = {
    name: 'any',
    run: async (context: Context) => {
      await context.session(use)
      // Now, for it is asked behind every command.
      return { data: null, text: '', exit: asked ? 11 : 0 }
    },
  }
  const app = { folderFor: () => '/', openWorkspace: async () => workspace }
  const input = { '--dir': 'postgres://host/base' }
  expect(await perform(app as never, { command, input } as never, world as never)).toBe(expected ? 11 : 0)
})
