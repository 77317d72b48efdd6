import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { memoryKernel } from '../../src/compose.ts'
import { GENESIS } from '../../src/kernel/log/commit.ts'
import { Session } from '../../src/kernel/session.ts'
import { stateHash } from '../../src/kernel/replica/checkpoint.ts'
import { START } from '../../src/kernel/log/chain.ts'
import { host } from '../../src/drivers/host/host.ts'
import { lineOf, together, type Line } from '../conformance/kit.ts'
import { story } from './events.ts'

const folder = join(import.meta.dirname, 'v1')
const logFile = join(folder, 'log.jsonl')
const stateFile = join(folder, 'state.json')

/** GOLDEN=write makes the files anew, before a release only: afterwards they are what they are. */
if (process.env['GOLDEN'] === 'write') await write()

const lines = readFileSync(logFile, 'utf8').split(/(?<=\n)/)

test('L9 a released log opens to the state it had', async () => {
  const session = await opened(lines)
  expect(session.damage).toBeUndefined()
  expect(session.seq).toBe(lines.length)
  const golden = JSON.parse(readFileSync(stateFile, 'utf8')) as { hash: string; state: unknown }
  expect(session.stored).toEqual(golden.state)
  expect(stateHash(await session.stateAt(), host.digest)).toBe(golden.hash)
})

test('L9 an encoder of today writes the same bytes', () => {
  expect(encoded().map(({ line }) => line)).toEqual(lines)
})

test('L9 every event type there is stands in the log', () => {
  const told = new Set(story.flatMap(([, ...events]) => events.map(({ type }) => type)))
  expect(memoryKernel().modules.flatMap(({ evolve }) => Object.keys(evolve)).filter((type) => !told.has(type))).toEqual([])
})

function encoded(): readonly Line[] {
  let prev = GENESIS
  return story.map(([op, ...events], index) => {
    const seq = index + 1
    const at = new Date(Date.UTC(2026, 0, 1, 0, 0, seq)).toISOString()
    const id = `01942000-0000-7000-8000-${String(seq).padStart(12, '0')}`
    const more = seq % 5 === 0 ? { key: `key "${seq}"`, reason: 'because' } : {}
    const own = events.length > 1 ? { own: [0, 1] as const } : {}
    const actor = seq % 2 === 0 ? 'human:ana' : 'agent:planner'
    const line = lineOf({ seq, at, id, actor, op, cause: null, events, ...more, ...own }, prev)
    prev = line.hash
    return line
  })
}

async function opened(text: readonly string[]): Promise<Session> {
  const kernel = memoryKernel({ checkpoints: false })
  await kernel.log.create('golden')
  const stored = text.map((line): Line => {
    const { seq, hash } = JSON.parse(line) as { seq: number; hash: string }
    return { seq, hash, line, end: Buffer.byteLength(line), seal: false }
  })
  await kernel.log.append('golden', together(...stored), START, { durability: 'durable' })
  return new Session(kernel, 'golden').open()
}

async function write(): Promise<void> {
  const text = encoded().map(({ line }) => line)
  const session = await opened(text)
  const state = await session.stateAt()
  writeFileSync(logFile, text.join(''))
  writeFileSync(stateFile, `${JSON.stringify({ hash: stateHash(state, host.digest), state }, null, 2)}\n`)
}
