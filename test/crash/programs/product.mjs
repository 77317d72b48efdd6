// The product behind the calls of store.mjs: what ships in dist/, nothing else.
import { spawnSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'

// Another build of the library may be named for a while.
const dist = process.env.CRASH_DIST ?? fileURLToPath(new URL('../../../dist/', import.meta.url))
const { openWorkspace } = await import(`${dist}index.js`)
export const cli = path.join(dist, 'steadfold.cjs')

export async function open(dir, settings = {}) {
  const { session: wanted, ...known } = settings
  const workspace = await openWorkspace({ dir, settings: known })
  const session =
    wanted === undefined
      ? await agreedSession(workspace, dir)
      : await workspace.createSession({ id: wanted, name: wanted })
  return {
    append: (id, value) => append(session, id, value),
    entries: () => allEntries(workspace, session, dir),
    value: (id) => session.get(slotOf(id))?.value,
    state: () => createHash('sha256').update(stable(session.stored)).digest('hex'),
    close: async () => {
      await session.close()
      await workspace.close()
    },
  }
}

async function append(session, id, value) {
  const done = await session.run('state.set', { path: slotOf(id), value: { id, value } })
  if (done.kind !== 'accepted') throw Object.assign(new Error(done.message), { code: done.code })
}

/** JSON with the members of every object in order. */
const stable = (state) =>
  JSON.stringify(state, (_, value) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )

// Large values go into one slot per writer, so that the state stays small while the log grows.
const slotOf = (id) => `$.data['${process.env.CRASH_SLOTS === '1' ? id.replace(/-\d+$/, '') : id}']`

/** The commits of the session, and behind them those of the second one that `farewell` made. */
async function allEntries(workspace, session, dir) {
  const note = path.join(dir, 'crash-second')
  const own = await entries(session)
  if (!fs.existsSync(note)) return own
  const id = fs.readFileSync(note, 'utf8')
  try {
    return [...own, ...(await entries(await workspace.session(id)))]
  } catch (error) {
    if (error.code !== 'SESSION_NOT_FOUND') throw error
    return [...own, ...archived(path.join(dir, '.steadfold', 'archive', id, 'log'))]
  }
}

/** An archived log: the same lines, compressed. */
function archived(folder) {
  const files = fs.readdirSync(folder).toSorted()
  const text = files.map((name) => gunzipSync(fs.readFileSync(path.join(folder, name))).toString()).join('')
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line) => entryOf(JSON.parse(line)))
}

/** Every commit in the order of the log, with the id it carries when it is one of ours and a sum of all it says. */
async function entries(session) {
  const found = []
  for await (const commit of session.commits({ after: 0, live: false })) found.push(entryOf(commit))
  return found
}

// The sum is made when it is asked for: most readers want the ids alone.
function entryOf(commit) {
  const id = commit.op === 'state.set' ? commit.events[0].data.value.id : undefined
  return { seq: commit.seq, at: Date.parse(commit.at), id, sum: () => sumOf(commit) }
}

const sumOf = (commit) => createHash('sha256').update(JSON.stringify(commit)).digest('hex').slice(0, 16)

/**
 * Which session the writers of a folder share. They start at once and may be killed at once, so the first to link its
 * durable note wins and all others read it: a note that is there names a session that is there.
 */
async function agreedSession(workspace, dir) {
  const note = path.join(dir, 'crash-session')
  if (!fs.existsSync(note)) await proposeSession(workspace, dir, note)
  return workspace.session(fs.readFileSync(note, 'utf8'))
}

async function proposeSession(workspace, dir, note) {
  const session = await workspace.createSession({ name: `crash-${randomUUID()}`, goal: 'survive' })
  const mine = `${note}.${randomUUID()}`
  fs.writeFileSync(mine, session.id)
  syncPath(mine)
  try {
    fs.linkSync(mine, note)
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
  syncPath(dir)
  await session.close()
}

function syncPath(target) {
  const handle = fs.openSync(target, 'r')
  fs.fsyncSync(handle)
  fs.closeSync(handle)
}

/** `steadfold verify`: clean or not, and what it says. */
export function verify(dir) {
  const run = spawnSync(process.execPath, [cli, 'verify', '--dir', dir], { encoding: 'utf8' })
  return { ok: run.status === 0, message: run.stdout + run.stderr }
}

/** Another session, some of its life, its archive, its way back, and its archive again. */
export async function farewell(dir, say) {
  const workspace = await openWorkspace({ dir })
  const session = await workspace.createSession({ name: `second-${randomUUID()}`, goal: 'end' })
  const note = path.join(dir, 'crash-second')
  fs.writeFileSync(`${note}.new`, session.id)
  syncPath(`${note}.new`)
  fs.renameSync(`${note}.new`, note)
  syncPath(dir)
  await say('second-0', () => append(session, 'second-0', 'x'))
  await session.run('session.end', {})
  await workspace.archive(session)
  await workspace.unarchive(session.id)
  await workspace.archive(await workspace.session(session.id))
  await workspace.close()
}
