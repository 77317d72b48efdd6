// The end of a session: made, ended, archived, brought back, archived again. Beside it one that lives on.
import fs from 'node:fs'
import { farewell, open, settings } from './store.mjs'

const { DIR } = process.env
const line = (text) => fs.writeSync(1, `${text}\n`)

async function say(id, act) {
  line(`TRY ${id}`)
  await act()
  line(`ACK ${id}`)
}

const store = await open(DIR, settings)
await say('first-0', () => store.append('first-0', 'x'))
await store.close()
await farewell(DIR, say)
