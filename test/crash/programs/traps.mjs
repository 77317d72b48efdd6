// Puts each trap into the store, or looks (MODE=look) at what a fresh process finds of those that were kept (KEPT).
// LIGHT=1 leaves the large ones out.
// One JSON line per trap: {name, outcome: kept | refused | changed | crashed, detail}
import fs from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { open, settings } from './store.mjs'
import { traps } from './trap-values.mjs'

const { DIR, MODE = 'put', KEPT = '[]', LIGHT } = process.env
const say = (name, outcome, detail = '') => fs.writeSync(1, `${JSON.stringify({ name, outcome, detail })}\n`)
const idOf = (name) => `trap-${Object.keys(traps).indexOf(name)}`
const text = (value) => JSON.stringify(value)

function compare(store, name) {
  const [mine, theirs] = [traps[name](), store.value(idOf(name))]
  const same = text(mine) === text(theirs) && isDeepStrictEqual(plain(mine), plain(theirs))
  say(name, same ? 'kept' : 'changed', same ? '' : String(text(theirs)).slice(0, 80))
}

// An object without a prototype is the same JSON value as one with.
const plain = (value) =>
  value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === null ? { ...value } : value

async function put(store, name) {
  try {
    await store.append(idOf(name), traps[name]())
  } catch (error) {
    const known = typeof error.code === 'string' && /^[A-Z][A-Z_]+$/.test(error.code) && !error.code.startsWith('ERR_')
    return say(name, known ? 'refused' : 'crashed', known ? error.code : String(error))
  }
  compare(store, name)
}

const store = await open(DIR, settings)
const names = MODE === 'look' ? JSON.parse(KEPT) : Object.keys(traps)
for (const name of names.filter((each) => LIGHT !== '1' || !/thousand|megabyte/.test(each))) {
  if (MODE === 'look') compare(store, name)
  else await put(store, name)
}
if ({}.polluted !== undefined || [].polluted !== undefined) say('prototypes', 'changed', 'polluted')
await store.close()
