// Every stored id, in the order of the log. Exit 0 also right after a crash; an empty folder holds nothing.
// EVERY=1 names the commits that the store made for itself, too.
import fs from 'node:fs'
import path from 'node:path'

const { DIR } = process.env
const product = (process.env.CRASH_STORE ?? 'product') === 'product'
const started = fs.existsSync(path.join(DIR, product ? 'crash-session' : 'crash'))

if (started) {
  const { open } = await import('./store.mjs')
  const store = await open(DIR)
  const lines = []
  for (const { id, seq } of await store.entries()) {
    if (id !== undefined || process.env.EVERY === '1') lines.push(id ?? `seq-${seq}`)
  }
  fs.writeSync(1, lines.length > 0 ? `${lines.join('\n')}\n` : '')
  await store.close()
}
