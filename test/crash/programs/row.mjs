// Two short lives of a store: in each many commits follow each other; the second ends without a word.
import fs from 'node:fs'
import { open, settings } from './store.mjs'

const { DIR } = process.env
const line = (text) => fs.writeSync(1, `${text}\n`)

for (const life of [0, 1]) {
  const store = await open(DIR, { ...settings, segmentBytes: 200_000, checkpointBytes: 100_000 })
  for (let n = 0; n < 120; n += 1) {
    const id = `life${life}-${n}`
    line(`TRY ${id}`)
    await store.append(id, 'x'.repeat(400))
    line(`ACK ${id}`)
  }
  if (life === 0) await store.close()
}
process.exit(0)
