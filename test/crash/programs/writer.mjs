// Appends for ever, or COUNT times; says TRY <id> before and ACK <id> after each, ERR <id> <code> when one is refused.
//   DIR, WRITER_ID · COUNT (0: for ever) · SIZE (bytes of payload) · CALLERS (at once) · REOPEN (open again every n) · AFTER_ERROR (end n appends after a failure) · PAUSE (ms between two)
import fs from 'node:fs'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { open, settings } from './store.mjs'

const { DIR, WRITER_ID = 'w' } = process.env
const number = (name, otherwise) => Number(process.env[name] ?? otherwise)
const [COUNT, SIZE, CALLERS, REOPEN, PAUSE] = [
  number('COUNT', 0),
  number('SIZE', 300),
  number('CALLERS', 1),
  number('REOPEN', 0),
  number('PAUSE', 0),
]

/** Written at once, or the word would be lost with the process; a full pipe is waited for. */
function say(line) {
  for (;;) {
    try {
      return fs.writeSync(1, `${line}\n`)
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
  }
}

const payload = 'x'.repeat(SIZE)
let store = await opened()
let errors = 0
let left = number('AFTER_ERROR', Infinity)

async function opened() {
  try {
    return await open(DIR, settings)
  } catch (error) {
    say(`ERR open ${error.code ?? error.message}`)
    throw error
  }
}

async function caller(name) {
  for (let n = 0; COUNT === 0 || n < COUNT; n += 1) {
    if (REOPEN > 0 && n > 0 && n % REOPEN === 0) await reopen()
    await once(`${name}-${n}`)
  }
}

async function once(id) {
  say(`TRY ${id}`)
  try {
    await store.append(id, payload)
    say(`ACK ${id}`)
  } catch (error) {
    say(`ERR ${id} ${error.code ?? error.message}`)
    errors += 1
  }
  // What follows a failure is told apart best when the run ends soon after it.
  if (errors > 0) left -= 1
  if (left === 0) process.exit(0)
  await (PAUSE === 0 ? setImmediate() : sleep(PAUSE))
}

async function reopen() {
  await store.close()
  store = await opened()
}

say('READY')
const names = CALLERS === 1 ? [WRITER_ID] : Array.from({ length: CALLERS }, (_, i) => `${WRITER_ID}c${i}`)
await Promise.all(names.map(caller))
await store.close()
