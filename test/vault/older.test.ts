/* Y6: a place that was brought back from an older copy, or begun anew by somebody. */
import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { OpenSession } from '../../src/compose.ts'
import { Places } from '../../src/drivers/vault/places.ts'
import { failure, pair, scratch } from './rig.ts'

const root = scratch()
afterAll(() => fs.rmSync(root, { recursive: true, force: true }))

const write = (session: OpenSession, value: string) => session.run('state.set', { path: '$.data.by', value })

/** Two who have what is at a place: a commit each of two increments. `dir` is where it lies, and what an empty one is made of. */
async function shared(name: string, kind: 'folder' | 'git') {
  const home = path.join(root, `${kind}-${name}`)
  const [a, b] = await pair(home)
  const dir = path.join(home, 'place')
  const begin = () =>
    kind === 'git' ? void execFileSync('git', ['init', '--quiet', '--bare', dir]) : fs.mkdirSync(dir)
  begin()
  const [here, there] = [a, b].map(
    ({ vault, workspace, dir: own }) => new Places(vault, workspace, { dir: own, env: {} }),
  )
  if (here === undefined || there === undefined) throw new Error('two sides')
  for (const [places, other] of [
    [here, 'b'],
    [there, 'a'],
  ] as const)
    places.add('origin', kind === 'git' ? `git:${dir}` : dir, [other])
  const session = await a.workspace.createSession({ name: 'auth' })
  await here.push(undefined, session, undefined)
  const older = path.join(home, 'older')
  fs.cpSync(dir, older, { recursive: true })
  await write(session, 'a')
  await here.push(undefined, session, undefined)
  await there.pull(undefined, 'auth')
  const place = {
    /** As it was after the first push. */
    older: () => {
      fs.rmSync(dir, { recursive: true })
      fs.cpSync(older, dir, { recursive: true })
    },
    empty: () => {
      fs.rmSync(dir, { recursive: true })
      begin()
    },
  }
  return { a, b, here, there, session, place }
}

const what = /^commit 2 of session \S+ was at \S+place, and is not there any more$/

describe.each(['folder', 'git'] as const)('in a %s', (kind) => {
  test.each(['older', 'empty'] as const)(
    'Y6 one that is %s is told by push and pull, and nothing is sent there',
    async (how) => {
      const { here, there, session, place } = await shared(how, kind)
      place[how]()
      for (const work of [
        () => here.push(undefined, session, undefined),
        () => here.status(undefined, session.id),
        () => there.pull(undefined, 'auth'),
        () => here.send(undefined, session, { key: undefined, actor: 'human:test', to: undefined }),
      ])
        expect(await failure(work())).toMatchObject({
          code: 'LOG_CORRUPT',
          message: expect.stringMatching(what) as unknown,
        })
      await write(session, 'again')
      const { hint = '' } = await failure(here.push(undefined, session, undefined))
      // The next step that it names leads on, and nothing is lost.
      const command = / (rm \S+) and try again$/.exec(hint)?.[1] ?? 'false'
      execFileSync('sh', ['-c', command])
      expect(await here.push(undefined, session, undefined)).toMatchObject({ seq: 3 })
      const { hint: theirs = '' } = await failure(there.pull(undefined, 'auth'))
      execFileSync('sh', ['-c', / (rm \S+) and try again$/.exec(theirs)?.[1] ?? 'false'])
      expect(await there.pull(undefined, 'auth')).toMatchObject({ moved: 1, seq: 3 })
    },
  )
})

test('Y6 one that somebody else has begun anew, with other increments, is told', async () => {
  const { b, here, there, session, place } = await shared('anew', 'folder')
  place.empty()
  there.add('fresh', there.remotes.get('origin').url, ['a'])
  const copy = await b.workspace.session('auth')
  await write(copy, 'b')
  await there.push('fresh', copy, undefined)
  expect(await failure(here.pull(undefined, 'auth'))).toMatchObject({ code: 'LOG_CORRUPT' })
  await write(session, 'a')
  expect(await failure(here.push(undefined, session, undefined))).toMatchObject({ code: 'LOG_CORRUPT' })
})
