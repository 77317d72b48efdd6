// Exit 0 when the store calls itself clean, 1 with its reasons when not.
import fs from 'node:fs'
import { verify } from './store.mjs'

const { ok, message } = await verify(process.env.DIR)
fs.writeSync(ok ? 1 : 2, `${message.trim()}\n`)
process.exitCode = ok ? 0 : 1
