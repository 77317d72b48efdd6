/* The thread that reads a long segment ahead is a program of its own, which only the build has. */
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { readAhead } from '../../src/drivers/files/ahead.ts'
import { START } from '../../src/kernel/log/chain.ts'
import { soundEnds } from '../../src/kernel/log/sound.ts'
import type { Chunk, Position } from '../../src/kernel/ports.ts'
import { PROGRAM } from '../cli/binary.ts'
import { line, sha256 } from '../conformance/kit.ts'
import { scratch } from '../crash/rig/plan.ts'
import { until } from '../until.ts'

const DIST = path.dirname(PROGRAM)
const READER = pathToFileURL(path.join(DIST, 'steadfold-reader.js'))
const built = (await import(path.join(DIST, 'index.js'))) as typeof import('../../src/index.ts')
const threads = process.getBuiltinModule('node:worker_threads')

// Also where there is one.
const { availableParallelism } = os
const processors = (count: () => number) => {
  os.availableParallelism = count
  syncBuiltinESMExports()
}
beforeAll(() => processors(() => 3))
afterAll(() => processors(availableParallelism))

/** Lines that follow each other, each with a text of so many bytes. */
function linesOf(sizes: readonly number[], from: Pick<Position, 'seq' | 'hash'> = START): readonly string[] {
  let { seq, hash } = from
  return sizes.map((size) => {
    const next = line(++seq, hash, 'x'.repeat(size))
    hash = next.hash
    return next.line
  })
}

function fileOf(text: string) {
  const file = path.join(scratch('ahead'), 'segment')
  fs.writeFileSync(file, text)
  return { file, inode: fs.statSync(file).ino, size: text.length }
}

type Task = ReturnType<typeof fileOf>

/** What a thread reads of it, once it has begun or ended. */
async function readBy(task: Task, program: URL, offset = 0) {
  const ended = new Promise<void>((resolve) => {
    const { Worker } = threads
    threads.Worker = class extends Worker {
      constructor(...args: ConstructorParameters<typeof Worker>) {
        super(...args)
        this.on('exit', resolve)
      }
    }
    onTestFinished(() => void (threads.Worker = Worker))
  })
  const ahead = readAhead(task, program)
  if (ahead === undefined) throw new Error('there are processors, and the program is there')
  let isOver = false
  void ended.then(() => (isOver = true))
  await until(() => ahead.isReady || isOver)
  const chunks: Chunk[] = []
  const reading = ahead.chunks(1, offset)
  let next = await reading.next()
  for (; next.done !== true; next = await reading.next()) {
    const { bytes, sound } = next.value
    expect(sound).toEqual(soundEnds(bytes, sha256))
    chunks.push({ ...next.value, bytes: Buffer.from(bytes) })
  }
  ahead.close()
  await ended
  return { chunks, end: next.value, text: Buffer.concat(chunks.map(({ bytes }) => bytes)).toString() }
}

test('A1 blocks of whole lines follow each other, and each tells which of them are what their hash says', async () => {
  // One is longer than a block, and one has been altered.
  const lines = linesOf([...Array.from({ length: 40 }, () => 60_000), 700_000, 10, 10, 10])
  const text = lines.map((each, n) => (n === 7 ? each.replace('xxx', 'xyx') : each)).join('')
  const task = fileOf(`${text}${text.slice(0, 100)}`)
  const from = lines[0]?.length ?? 0
  const { chunks, end, ...found } = await readBy(task, READER, from)
  expect(found.text).toBe(text.slice(from))
  expect(end).toBe(text.length)
  expect(chunks.length).toBeGreaterThan(5)
  expect(chunks.map(({ offset }) => offset)).toEqual(
    chunks.map((_, n) => chunks.slice(0, n).reduce((sum, { bytes }) => sum + bytes.length, from)),
  )
  expect(chunks.reduce((sum, { sound }) => sum + (sound?.length ?? 0), 0)).toBe(lines.length - 2)
})

test('A1 of a file that ends before, there is what is left', async () => {
  const text = linesOf([60_000, 10]).join('')
  const task = fileOf(text)
  expect(await readBy({ ...task, size: 10 * text.length }, READER)).toMatchObject({ text, end: text.length })
  expect(await readBy({ ...task, size: text.length - 1 }, READER)).toMatchObject({ text: linesOf([60_000]).join('') })
  const [first = ''] = linesOf([60_000])
  expect(await readBy({ ...task, size: 100 }, READER, first.length)).toMatchObject({ text: '', end: first.length })
})

test('A2 a thread that fails has read nothing: it cannot begin, or another file has that name', async () => {
  const task = fileOf(linesOf([10]).join(''))
  const program = path.join(scratch('ahead-program'), 'program.mjs')
  fs.writeFileSync(program, `throw new Error('not today')`)
  expect(await readBy(task, pathToFileURL(program), 7)).toEqual({ chunks: [], end: 7, text: '' })
  expect(await readBy({ ...task, inode: task.inode + 1 }, READER, 7)).toMatchObject({ text: '', end: 7 })
})

test('A2 where there is no program, or no thread to be had, nobody reads ahead', () => {
  const task = fileOf('')
  expect(readAhead(task, new URL('file:///nowhere/reader.js'))).toBeUndefined()
  const { Worker } = threads
  onTestFinished(() => void (threads.Worker = Worker))
  threads.Worker = class extends Worker {
    constructor(program: URL) {
      super(program, { workerData: () => 'no data' })
    }
  }
  expect(readAhead(task, READER)).toBeUndefined()
})

test('A4 of three processors two read ahead, and another as soon as one of them is done', () => {
  const task = fileOf(linesOf([10]).join(''))
  const [first, second] = [readAhead(task, READER), readAhead(task, READER)]
  expect(first).toBeDefined()
  expect(second).toBeDefined()
  expect(readAhead(task, READER)).toBeUndefined()
  first?.close()
  const third = readAhead(task, READER)
  expect(third).toBeDefined()
  for (const each of [second, third]) each?.close()
})

test('A4 a thread that reads leaves one more, for whoever began it', () => {
  const told = vi.spyOn(threads, 'isMainThread', 'get').mockReturnValue(false)
  onTestFinished(() => told.mockRestore())
  const task = fileOf(linesOf([10]).join(''))
  const first = readAhead(task, READER)
  expect(first).toBeDefined()
  expect(readAhead(task, READER)).toBeUndefined()
  first?.close()
})

const COMMITS = 330

/** A session whose log is long enough for a thread: 20 MB in a first segment that goes on. */
async function longSession() {
  const dir = scratch('ahead-workspace')
  const workspace = await built.openWorkspace({ dir, settings: { checkpoints: false } })
  const session = await workspace.createSession({ name: 'long' })
  let last: Pick<Position, 'seq' | 'hash'> = START
  for await (const commit of session.commits()) last = commit
  await session.close()
  await workspace.close()
  const folder = path.join(dir, '.steadfold/sessions', session.id, 'log')
  const file = path.join(folder, fs.readdirSync(folder)[0] ?? '')
  const lines = linesOf(
    Array.from({ length: COMMITS }, () => 60_000),
    last,
  )
  fs.appendFileSync(file, lines.join(''))
  return { dir, file, id: session.id, first: last.seq + 1 }
}

test('A2 a long log is folded with a thread and without one to the same state, and damage is met where it stands', async () => {
  const { dir, file, first } = await longSession()
  let begun = 0
  let reads = Infinity
  const { Worker } = threads
  onTestFinished(() => void (threads.Worker = Worker))
  threads.Worker = class extends Worker {
    constructor(program: URL, options: { workerData: Task }) {
      const { size, ...task } = options.workerData
      super(program, { ...options, workerData: { ...task, size: Math.min(size, reads) } })
      begun++
    }
  }
  const opened = async () => {
    const workspace = await built.openWorkspace({ dir, settings: { checkpoints: false } })
    const session = await workspace.session('long')
    const value = await session.get('$.data.value')
    await session.close()
    await workspace.close()
    return { seq: session.seq, damage: session.damage, value }
  }
  const whole = { seq: first + COMMITS - 1, damage: undefined, value: 'x'.repeat(60_000) }
  expect(await opened()).toEqual(whole)
  expect(begun).toBe(1)
  // It ends before the file does.
  reads = 5_000_000
  expect(await opened()).toEqual(whole)
  reads = Infinity
  // In a line that the thread hashes: it stands behind what is read before it has begun.
  const at = fs.statSync(file).size - 1_000_000
  const fd = fs.openSync(file, 'r+')
  fs.writeSync(fd, 'y', at)
  fs.closeSync(fd)
  const damaged = await opened()
  expect(begun).toBe(3)
  threads.Worker = class {
    constructor() {
      throw new Error('no thread to be had')
    }
  } as unknown as typeof Worker
  expect(await opened()).toEqual(damaged)
  expect(damaged.damage).toMatchObject({ seq: damaged.seq + 1, segment: 1 })
})

test.each([
  ['who reads no further does not wait for the thread to end', 20],
  ['who reads to the end waits for the thread, though nothing else keeps the process alive', Infinity],
])('A3 %s', async (_, most) => {
  const { dir, id } = await longSession()
  const program = path.join(dir, 'reads.mjs')
  const library = pathToFileURL(path.join(DIST, 'index.js')).href
  fs.writeFileSync(
    program,
    `import { syncBuiltinESMExports } from 'node:module'
    import os from 'node:os'
    import { openWorkspace } from '${library}'
    os.availableParallelism = () => 2
    syncBuiltinESMExports()
    const workspace = await openWorkspace({ dir: '${dir}', settings: { checkpoints: false } })
    const threads = process.getBuiltinModule('node:worker_threads')
    const ready = new Promise((resolve) => {
      threads.Worker = class extends threads.Worker {
        constructor(...args) {
          super(...args)
          this.once('message', resolve)
        }
      }
    })
    const reading = workspace.kernel.log.read('${id}', ${JSON.stringify(START)})
    await reading.next()
    const alive = setInterval(() => {}, 1000)
    await ready
    clearInterval(alive)
    for (let n = 0, next = {}; n < ${most} && !next.done; n++) next = await reading.next()
    console.log('read')`,
  )
  const { stdout } = await promisify(execFile)(process.execPath, [program], { timeout: 60_000 })
  expect(stdout).toBe('read\n')
})
