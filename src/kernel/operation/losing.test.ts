/* L6: whoever keeps losing tells how often, so that others let it pass; it rests in between, and gives up with nothing written. */
import { expect, test } from 'vitest'
import { fixedHost, overriding } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Kernel } from '../kernel.ts'
import type { Lines, Log } from '../ports.ts'
import { Session } from '../session.ts'

const ATTEMPTS = 200
const AT_FULL_SPEED = 10
const set = (value: number) => ['state.set', { path: '$.data.n', value }] as const

/**
 * A writer that loses what `lost` says of each append: all, all but the first line, or nothing. With each turn that it took,
 * and each rest in ms when chance is at its worst.
 */
async function losing(lost: (append: number) => 'all' | 'part' | 'nothing') {
  const [turns, rests]: [number[], number[]] = [[], []]
  const host = { ...fixedHost(), random: () => 1, sleep: async (ms: number) => void rests.push(ms) }
  const kernel: Kernel = { ...memoryKernel({ checkpoints: false }), host }
  const { id } = await makeWorkspace(kernel).createSession({ name: 'test' })
  let appends = 0
  const methods: Partial<Log> = {
    turn: (session, losses) => {
      turns.push(losses)
      return kernel.log.turn(session, losses)
    },
    append: (session, batch, after, options) => {
      const what = lost(appends++)
      if (what === 'all') return { kind: 'conflict' }
      return kernel.log.append(session, what === 'part' ? firstOf(batch) : batch, after, options)
    },
  }
  const writer = await new Session({ ...kernel, log: overriding(kernel.log, methods) }, id).open()
  return { writer, turns, rests }
}

test('L6 a writer that never wins gives up, and nothing was written', async () => {
  const { writer, turns, rests } = await losing(() => 'all')
  await expect(writer.run(...set(1))).rejects.toMatchObject({ code: 'CONTENDED' })
  expect(turns).toEqual(Array.from({ length: ATTEMPTS }, (_, losses) => losses))
  expect(rests.slice(0, 8)).toEqual([1, 2, 4, 8, 16, 32, 64, 64])
  expect(rests.length).toBe(ATTEMPTS - AT_FULL_SPEED)
  expect([writer.seq, writer.stored['data']]).toEqual([1, undefined])
})

test('L6 one that wins begins to count anew', async () => {
  const { writer, turns, rests } = await losing((append) => (append === 4 || append === 8 ? 'nothing' : 'all'))
  expect(await writer.run(...set(1))).toMatchObject({ kind: 'accepted', seq: 2 })
  expect(await writer.run(...set(2))).toMatchObject({ kind: 'accepted', seq: 3 })
  expect(turns).toEqual([0, 1, 2, 3, 4, 0, 1, 2, 3])
  expect(rests).toEqual([])
})

test('L6 one of whose lines some have won has not lost', async () => {
  const { writer, turns } = await losing((append) => (append % 2 === 0 ? 'part' : 'all'))
  const answers = await Promise.all([1, 2, 3].map((value) => writer.run(...set(value))))
  expect(answers).toMatchObject([{ seq: 2 }, { seq: 3 }, { seq: 4 }])
  expect(turns).toEqual([0, 0, 1, 0, 1])
})

const firstOf = ({ lines, bytes }: Lines): Lines => ({
  lines: lines.slice(0, 1),
  bytes: bytes.subarray(0, lines[0]?.end),
})

test('what others write while it reads is read before it decides, or it would lose', async () => {
  const kernel: Kernel = { ...memoryKernel({ checkpoints: false }), host: fixedHost() }
  const other = await makeWorkspace(kernel).createSession({ name: 'test' })
  let [cut, appends] = [false, 0]
  const methods: Partial<Log> = {
    // The first look is too early for the second commit.
    peek: (session, after) => {
      const tail = kernel.log.peek(session, after)
      if (!cut || tail instanceof Promise || tail === undefined) return tail
      cut = false
      return tail.subarray(0, tail.indexOf('\n') + 1)
    },
    append: (...given) => {
      appends++
      return kernel.log.append(...given)
    },
  }
  const writer = await new Session({ ...kernel, log: overriding(kernel.log, methods) }, other.id).open()
  await other.run(...set(1))
  await other.run(...set(2))
  cut = true
  expect(await writer.run(...set(3))).toMatchObject({ kind: 'accepted', seq: 4 })
  expect(appends).toBe(1)
})

test('X3 a commit believed lost that a look has found is answered, whatever the next look would find', async () => {
  const kernel: Kernel = { ...memoryKernel({ checkpoints: false }), host: fixedHost() }
  const { id } = await makeWorkspace(kernel).createSession({ name: 'test' })
  let looks: number | undefined
  const methods: Partial<Log> = {
    peek: (session, after) => {
      if (looks !== undefined && ++looks === 2) throw new Error('EIO')
      return kernel.log.peek(session, after)
    },
    append: async (...given) => {
      const appended = await kernel.log.append(...given)
      if (looks !== undefined) return appended
      looks = 0
      return { kind: 'conflict' }
    },
  }
  const writer = await new Session({ ...kernel, log: overriding(kernel.log, methods) }, id).open()
  expect(await writer.run(...set(1))).toMatchObject({ kind: 'accepted', seq: 2 })
})
