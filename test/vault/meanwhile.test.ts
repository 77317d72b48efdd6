/* Y1 with others at work: commits that another process here makes while a push or a pull is under way. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { openWorkspace, type OpenSession } from '../../src/compose.ts'
import type { Depot } from '../../src/drivers/vault/depot.ts'
import { folderDepot } from '../../src/drivers/vault/folder-depot.ts'
import { Remotes } from '../../src/drivers/vault/remotes.ts'
import { pull, push, type Link } from '../../src/drivers/vault/sync.ts'
import { pair, scratch, type Side } from './rig.ts'

const root = scratch()
let round = 0
let a: Side
let b: Side
let place: string

beforeEach(async () => {
  const home = path.join(root, String((round += 1)))
  ;[a, b] = await pair(home)
  place = path.join(home, 'place')
  fs.mkdirSync(place)
})
afterAll(() => fs.rmSync(root, { recursive: true, force: true }))

/** `meanwhile` happens once, when the place is asked for something that begins with `word`. */
function linkOf(side: Side, word = '', meanwhile?: (session: string) => Promise<void>): Link {
  const depot = folderDepot(place)
  const remotes = new Remotes(path.join(side.dir, '.steadfold'))
  const remote = { name: 'origin', url: place, recipients: null }
  let waiting = meanwhile
  const seen = async (name: string) => {
    const due = name.split('/')[2] === word ? waiting : undefined
    if (due === undefined) return
    waiting = undefined
    await due(name.split('/')[1] ?? '')
  }
  const watched: Depot = {
    ...depot,
    list: async (prefix, after) => (await seen(prefix), depot.list(prefix, after)),
    get: async (name) => (await seen(name), depot.get(name)),
  }
  return {
    place: 'origin',
    workspace: side.workspace,
    depot: watched,
    options: { ...side.vault.opening(), mayLieOpen: true },
    known: (session) => remotes.known(session, remote),
    note: (session, known) => remotes.note(session, remote, known),
    noted: (session) => remotes.knownFile(session, remote.name),
  }
}

const increment = (side: Side) => ({
  here: side.vault.here(side.workspace, side.dir),
  key: side.key,
  seal: undefined,
})

const write = (session: OpenSession, value: string) => session.run('state.set', { path: '$.data.by', value })

/** Another process has the session open, too. */
async function other(side: Side, id: string, value: string): Promise<void> {
  await using workspace = await openWorkspace({ dir: side.dir })
  await write(await workspace.session(id), value)
}

test('Y1 a push sends what it looked at; what came behind it goes with the next', async () => {
  const session = await a.workspace.createSession({ name: 'auth' })
  await push(linkOf(a), session, increment(a))
  await write(session, 'here')
  const link = linkOf(a, 'epochs', (id) => other(a, id, 'somebody'))
  expect(await push(link, session, increment(a))).toMatchObject({ moved: 1, seq: 2 })
  expect(await pull(linkOf(b), session.id, undefined)).toMatchObject({ moved: 2, seq: 2 })
  await write(session, 'again')
  expect(await push(link, session, increment(a))).toMatchObject({ moved: 2, seq: 4 })
  expect(await pull(linkOf(b), session.id, undefined)).toMatchObject({ moved: 2, seq: 4 })
})

test('Y1 what goes on here right behind what was pulled is not taken for what is there', async () => {
  const session = await a.workspace.createSession({ name: 'auth' })
  await push(linkOf(a), session, increment(a))
  await pull(linkOf(b), session.id, undefined)
  await write(session, 'here')
  await push(linkOf(a), session, increment(a))
  const { kernel } = b.workspace
  let isDue = true
  const log = new Proxy(kernel.log, {
    get: (target, name) => {
      if (name === 'append')
        return async (...args: Parameters<typeof target.append>) => {
          const answer = await target.append(...args)
          if (isDue) await other(b, session.id, 'somebody')
          isDue = false
          return answer
        }
      const found: unknown = Reflect.get(target, name)
      return typeof found === 'function' ? found.bind(target) : found
    },
  })
  const workspace = Object.create(b.workspace, { kernel: { value: { ...kernel, log } } }) as typeof b.workspace
  expect(await pull({ ...linkOf(b), workspace }, session.id, undefined)).toMatchObject({ moved: 1, seq: 2 })
  const copy = await b.workspace.session(session.id)
  expect(await push(linkOf(b), copy, increment(b))).toMatchObject({ moved: 1, seq: 3 })
  expect(await pull(linkOf(a), session.id, undefined)).toMatchObject({ moved: 1, seq: 3 })
})
