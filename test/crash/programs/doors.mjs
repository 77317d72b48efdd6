// Asks for sessions by names (NAMES, a JSON list) that try to leave the folder, and writes to those it gets.
// One JSON line per name: {name, outcome: opened | refused | crashed, code}
import fs from 'node:fs'
import { open } from './store.mjs'

const { DIR, NAMES = '[]' } = process.env

async function knock(session) {
  try {
    const store = await open(DIR, { session })
    await store.append('door-0', 'x')
    await store.close()
    return { outcome: 'opened', code: '' }
  } catch (error) {
    const known = typeof error.code === 'string' && !/^(ERR_|E[A-Z]+$)/.test(error.code)
    return { outcome: known ? 'refused' : 'crashed', code: error.code ?? String(error) }
  }
}

for (const name of JSON.parse(NAMES)) fs.writeSync(1, `${JSON.stringify({ name, ...(await knock(name)) })}\n`)
