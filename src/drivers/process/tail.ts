import * as fs from 'node:fs'
import type { OnOutput, Stream } from '../../kernel/work/worker.ts'
import { openPlain } from './plain.ts'
import type { Work } from './work.ts'

const LOOK_MS = 60
const CHUNK = 64 * 1024

/**
 * Hands on what a command writes, soon after it wrote it; what is left comes on `close`. Who throws hears no more, who has no
 * room hears the rest later: what the command does is paid for, and goes on.
 */
export class Tail {
  readonly #work: Work
  #onOutput: OnOutput | undefined
  readonly #timer: NodeJS.Timeout | undefined
  readonly #read = { stdout: 0, stderr: 0 }

  constructor(work: Work, onOutput: OnOutput | undefined) {
    this.#work = work
    this.#onOutput = onOutput
    if (onOutput !== undefined) this.#timer = setInterval(() => this.#look(), LOOK_MS)
  }

  close(): void {
    clearInterval(this.#timer)
    this.#look('all')
  }

  #look(which?: 'all'): void {
    for (const stream of ['stdout', 'stderr'] as const) this.#handOn(stream, which)
  }

  #handOn(stream: Stream, which?: 'all'): void {
    if (this.#onOutput === undefined) return
    const file = this.#work.file(stream)
    const opened = plainAt(file)
    if (opened === undefined || 'fault' in opened) return
    const { fd, size } = opened
    try {
      if (size <= this.#read[stream]) return
      for (;;) {
        const buffer = Buffer.alloc(CHUNK)
        const read = fs.readSync(fd, buffer, 0, CHUNK, this.#read[stream])
        if (read === 0) return
        this.#read[stream] += read
        const hasRoom = this.#tell(stream, buffer.subarray(0, read))
        if (this.#onOutput === undefined || (!hasRoom && which !== 'all')) return
      }
    } finally {
      fs.closeSync(fd)
    }
  }

  #tell(...said: Parameters<OnOutput>): boolean {
    try {
      return this.#onOutput?.(...said) !== false
    } catch {
      this.#onOutput = undefined
      clearInterval(this.#timer)
      return false
    }
  }
}

/** What cannot be looked at now is looked at again. */
function plainAt(file: string): ReturnType<typeof openPlain> {
  try {
    return openPlain(file)
  } catch {
    return undefined
  }
}
