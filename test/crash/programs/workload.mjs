// One short life of a store: opened three times, appended to, rotated, checkpointed, a second session made and archived.
import fs from 'node:fs'
import { farewell, open, settings } from './store.mjs'

const { DIR } = process.env
const line = (text) => fs.writeSync(1, `${text}\n`)

async function say(id, act) {
  line(`TRY ${id}`)
  await act()
  line(`ACK ${id}`)
}

for (let life = 0; life < 3; life += 1) {
  const store = await open(DIR, settings)
  for (let n = 0; n < 5; n += 1) {
    const id = `life${life}-${n}`
    await say(id, () => store.append(id, 'x'.repeat(400)))
  }
  await store.close()
}
await farewell(DIR, say)
