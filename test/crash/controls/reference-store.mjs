// A deliberately small store that keeps every promise the rigs check, so that a rig can be seen green, and whose
// `flaws` each take one line of care away, so that the same rig can be seen red. It is not the product and shares
// no code with it.
//
//   DIR/<session>/log.jsonl         one line per entry: {"seq","at","id","value","prev","hash"}
//   DIR/<session>/checkpoint.json   the ids up to a seq; a cache
//
// Writers of several processes race with O_APPEND: the first whole line for a seq wins, a loser reads back and retries.
import { createHash, randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { takeLock } from './lock.mjs'
import { refuseTrap } from './plain-json.mjs'

const sha = (text) => createHash('sha256').update(text).digest('hex')
const fail = (code, message) => Object.assign(new Error(message), { code })
const start = { seq: 0, hash: '0'.repeat(64), at: 0 }

/** `flaws` names the cares to leave out; see the other files of this folder. */
export const makeStore = (flaws = {}) => ({
  open: (dir, settings = {}) => openSession(dir, settings, flaws),
  verify: (dir, session = 'crash') => verify(path.join(dir, session), flaws),
})

function openSession(dir, settings, flaws) {
  const session = settings.session ?? 'crash'
  if (!flaws.anyName && !/^[a-z0-9][a-z0-9-]{0,63}$/.test(session)) throw fail('BAD_ID', `session name ${session}`)
  const folder = path.join(dir, session)
  makeFolder(dir, folder, flaws)
  const store = {
    folder,
    flaws,
    file: path.join(folder, 'log.jsonl'),
    made: 0,
    namesSynced: false,
    every: settings.every ?? 4,
    broken: '',
  }
  if (readLog(store).corruptAt >= 0) throw fail('CORRUPT', `${store.file} at byte ${readLog(store).corruptAt}`)
  return {
    append: (id, value) => append(store, id, value),
    entries: () => allEntries(store),
    value: (id) => allEntries(store).findLast((entry) => entry.id === id)?.value,
    close: () => undefined,
  }
}

function makeFolder(dir, folder, flaws) {
  if (fs.existsSync(folder)) return refuseLink(folder, flaws)
  fs.mkdirSync(folder, { recursive: true, ...(flaws.looseModes ? {} : { mode: 0o700 }) })
  if (!flaws.looseModes) fs.chmodSync(folder, 0o700)
}

function refuseLink(target, flaws) {
  if (flaws.looseModes || !fs.existsSync(target)) return
  if (fs.lstatSync(target).isSymbolicLink()) throw fail('LINK', `${target} is a link`)
}

function syncFolder(folder) {
  const handle = fs.openSync(folder, 'r')
  fs.fsyncSync(handle)
  fs.closeSync(handle)
}

// ---- reading: the first whole line for a seq wins; what cannot be continued is corruption

function readLog(store) {
  refuseLink(store.file, store.flaws)
  const bytes = fs.existsSync(store.file) ? fs.readFileSync(store.file) : Buffer.alloc(0)
  const log = {
    entries: [],
    last: start,
    corruptAt: -1,
    oddities: 0,
    endsOpen: bytes.length > 0 && bytes.at(-1) !== 10,
  }
  const lost = new Set()
  let at = 0
  for (let end = bytes.indexOf(10); end >= 0; at = end + 1, end = bytes.indexOf(10, at)) {
    if (!takeLine(log, lost, bytes.toString('utf8', at, end), store.flaws)) return { ...log, corruptAt: at }
  }
  return log
}

function takeLine(log, lost, text, flaws) {
  const entry = parseLine(text, flaws)
  if (entry === undefined) return (log.oddities += 1) > 0
  if (flaws.noChain || (entry.seq === log.last.seq + 1 && entry.prev === log.last.hash)) {
    log.entries.push(entry)
    log.last = entry
    return true
  }
  if (entry.seq > log.last.seq && !lost.has(entry.prev)) return false
  lost.add(entry.hash)
  log.oddities += 1
  return true
}

function parseLine(text, flaws) {
  const cut = text.lastIndexOf(',"hash":"')
  try {
    const entry = JSON.parse(text)
    const whole = text.endsWith('"}') && entry.hash === sha(`${text.slice(0, cut)}}`)
    return flaws.noChain || whole ? entry : undefined
  } catch {
    return undefined
  }
}

function allEntries(store) {
  const folded = store.flaws.foldsLogAway ? readCheckpoint(store).map((id) => ({ id })) : []
  return [...folded, ...readLog(store).entries].map((entry) => ({ ...entry, sum: () => sha(JSON.stringify(entry)) }))
}

function verify(folder, flaws) {
  const log = readLog({ folder, flaws, file: path.join(folder, 'log.jsonl') })
  if (log.corruptAt >= 0) return { ok: false, message: `log.jsonl is altered at byte ${log.corruptAt}` }
  return { ok: true, message: `${log.entries.length} entries, ${log.oddities} torn fragments or lost races` }
}

// ---- writing: one write, one fdatasync, read back, only then the answer

async function append(store, id, value) {
  if (store.flaws.earlyAnswer) return void setTimeout(() => writeOnce(store, id, value), 2)
  if (!store.flaws.anyJson) refuseTrap(value)
  if (store.broken) throw fail('STOPPED', `the log is closed after ${store.broken}`)
  for (let tries = 0; tries < 200; tries += 1) {
    if (store.flaws.lock) await takeLock(store.folder, store.flaws.lock)
    const hash = writeOnce(store, id, value)
    if (store.flaws.lock) fs.rmSync(path.join(store.folder, 'lock'), { force: true })
    if (store.flaws.noReadBack || readLog(store).entries.some((entry) => entry.hash === hash)) return finish(store)
    await new Promise((go) => setTimeout(go, Math.random() * Math.min(tries, 20)))
  }
  throw fail('CONFLICT', 'lost the race 200 times')
}

function writeOnce(store, id, value) {
  const { last, endsOpen } = readLog(store)
  const at = store.flaws.wallClock ? Date.now() : Math.max(Date.now(), last.at)
  const body = JSON.stringify({ seq: last.seq + 1, at, id, value, prev: last.hash }).slice(0, -1)
  const hash = sha(`${body}}`)
  const handle = fs.openSync(store.file, appendFlags(store.flaws), 0o600)
  try {
    syncNames(store)
    writeAll(store, handle, Buffer.from(`${endsOpen ? ' \n' : ''}${body},"hash":"${hash}"}\n`))
    sync(store, handle)
  } finally {
    fs.closeSync(handle)
  }
  return hash
}

/** Whoever made the file may have died before it synced the folder, so everybody does, once. */
function syncNames(store) {
  if (store.namesSynced || store.flaws.noFolderSync) return
  syncFolder(path.dirname(store.folder))
  syncFolder(store.folder)
  store.namesSynced = true
}

function appendFlags(flaws) {
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = fs.constants
  return O_APPEND | O_CREAT | O_WRONLY | (flaws.looseModes ? 0 : O_NOFOLLOW)
}

/** A short count is a torn line: it stays where it is, and the line is written again behind it. */
function writeAll(store, handle, bytes) {
  for (let tries = 0; tries < 5; tries += 1) {
    const written = fs.writeSync(handle, tries === 0 ? bytes : Buffer.concat([Buffer.from('\n'), bytes]))
    if (written >= bytes.length || store.flaws.trustsCounts) return
  }
  throw fail('ENOSPC', 'the write is cut short every time')
}

function sync(store, handle) {
  if (store.flaws.noSync) return
  try {
    fs.fdatasyncSync(handle)
  } catch (cause) {
    if (store.flaws.trustsRetry) return fs.fdatasyncSync(handle)
    store.broken = cause.code
    throw fail('UNKNOWN_OUTCOME', `fdatasync answered ${cause.code}`)
  }
}

function finish(store) {
  store.made += 1
  if (store.made % store.every === 0) writeCheckpoint(store)
}

// ---- the checkpoint: temp name, fsync, rename, fsync of the folder

function writeCheckpoint(store) {
  const temp = path.join(store.folder, `checkpoint.${randomUUID()}.tmp`)
  const handle = fs.openSync(temp, 'wx', 0o600)
  fs.writeSync(handle, JSON.stringify(allEntries(store).map((entry) => entry.id)))
  if (!store.flaws.foldsLogAway) fs.fsyncSync(handle)
  fs.closeSync(handle)
  fs.renameSync(temp, path.join(store.folder, 'checkpoint.json'))
  if (store.flaws.foldsLogAway) fs.truncateSync(store.file, 0)
  else syncFolder(store.folder)
}

function readCheckpoint(store) {
  const file = path.join(store.folder, 'checkpoint.json')
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : []
}
