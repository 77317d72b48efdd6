import * as fs from 'node:fs'

/** Reads until the buffer is full or the file ends. Answers how much. */
export function fill(fd: number, offset: number, buffer: Buffer): number {
  let done = 0
  while (done < buffer.length) {
    const read = fs.readSync(fd, buffer, done, buffer.length - done, offset + done)
    if (read === 0) break
    done += read
  }
  return done
}
