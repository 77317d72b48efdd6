/** The thread that reads a long segment ahead of whoever folds it: see drivers/files/ahead.ts, which starts it with a Task. */
import { hash } from 'node:crypto'
import * as fs from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { READY, type Block, type Task } from './drivers/files/ahead.ts'
import { fill } from './drivers/files/fill.ts'
import { soundEnds } from './kernel/log/sound.ts'

const BLOCK = 256 * 1024
/** Blocks under way: enough that a caller who stops for a moment finds work when it goes on. */
const DEPTH = 4
const NEWLINE = 0x0a

const { file, inode, size } = workerData as Task
const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW)
if (fs.fstatSync(fd).ino !== inode) throw new Error(`${file} is another file now`)
const sha256 = (bytes: Uint8Array | string) => hash('sha256', bytes, 'hex')

let offset = 0
let isOver = false

/** A number says where to begin; memory that comes back takes the next block. */
parentPort?.on('message', (message: number | ArrayBuffer) => {
  if (typeof message !== 'number') return next(Buffer.from(message))
  offset = message
  for (let i = 0; i < DEPTH; i++) next(Buffer.from(new ArrayBuffer(BLOCK)))
})
parentPort?.postMessage(READY)

function next(room: Buffer<ArrayBuffer>): void {
  if (isOver) return
  // Whoever began by itself may have come further than the file did when it was asked.
  const bytes = room.subarray(0, Math.max(0, Math.min(room.length, size - offset)))
  const length = bytes.subarray(0, fill(fd, offset, bytes)).lastIndexOf(NEWLINE) + 1
  // A line that is longer than the room for it.
  if (length === 0 && bytes.length === room.length) return next(Buffer.from(new ArrayBuffer(2 * room.length)))
  isOver = length === 0
  if (isOver) return parentPort?.postMessage(undefined)
  offset += length
  const sound = soundEnds(bytes.subarray(0, length), sha256)
  const block: Block = { memory: room.buffer, length, sound }
  parentPort?.postMessage(block, [room.buffer, sound.buffer])
}
