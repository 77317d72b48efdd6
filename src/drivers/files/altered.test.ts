/* The last commit of a log is altered in place under those who have it open: who reads it anew takes it for a torn end. */
import builtin, * as fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import * as path from 'node:path'
import { expect, test } from 'vitest'
import { line, overriding, temporaryFolder } from '../../../test/conformance/kit.ts'
import { filesKernel, makeWorkspace } from '../../compose.ts'
import { repairSession } from '../../kernel/care/repair.ts'
import { verifySession } from '../../kernel/care/verify.ts'
import type { Log } from '../../kernel/ports.ts'
import { Session } from '../../kernel/session.ts'

const set = (value: number) => ['state.set', { path: '$.data.n', value }] as const

async function begin() {
  const root = temporaryFolder()
  const open = () => makeWorkspace(filesKernel(root, { checkpoints: false }))
  const mine = await open().createSession({ name: 'test' })
  await mine.run(...set(1))
  await mine.run(...set(2))
  const file = path.join(root, 'sessions', mine.id, 'log', `${'1'.padStart(20, '0')}.jsonl`)
  const alter = () => fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"value":2', '"value":7'))
  return {
    root,
    mine,
    file,
    alter,
    other: () => open().session(mine.id),
    verify: () => verifySession(filesKernel(root), mine.id),
  }
}

test.each([
  ['a byte', '"value":2', '"value":7'],
  ['its newline', /\n$/, ' '],
])(
  'L3 who has it open writes behind what others wrote in its place, not beside it: altered in %s',
  async (_, was, is) => {
    const { mine, file, other, verify } = await begin()
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(was, is))
    const theirs = await other()
    expect(await theirs.run(...set(3))).toMatchObject({ kind: 'accepted', seq: 3 })
    expect(await mine.run('state.set', { path: '$.data.m', value: 4 })).toMatchObject({ kind: 'accepted', seq: 4 })
    await theirs.refresh()
    expect([mine.get('$.data'), theirs.get('$.data')]).toEqual([
      { n: 3, m: 4 },
      { n: 3, m: 4 },
    ])
    expect(await verify()).toMatchObject({ ok: true, seq: 4 })
  },
)

test.each(['begun', 'opened'])('L3 who has %s it and only reads reads what others wrote in its place', async (how) => {
  const { mine, alter, other } = await begin()
  const reader = how === 'begun' ? mine : await other()
  alter()
  await (await other()).run(...set(3))
  await reader.refresh()
  expect([reader.seq, reader.get('$.data.n')]).toEqual([3, 3])
})

test('L3 so it is where its line is long', async () => {
  const { mine, file, other } = await begin()
  await mine.run('state.set', { path: '$.data.long', value: 'x'.repeat(20_000) })
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('xx', 'xy'))
  const theirs = await other()
  await theirs.run(...set(5))
  await mine.refresh()
  expect([mine.seq, mine.get('$.data')]).toEqual([4, { n: 5 }])
})

test('K3 where a checkpoint stands at that commit its loss is proven, and nobody writes in its place', async () => {
  const { root, mine, file, verify } = await begin()
  const withCheckpoints = () => makeWorkspace(filesKernel(root, { checkpointBytes: 1 })).session(mine.id)
  const first = await withCheckpoints()
  await first.run(...set(3))
  await first.close()
  expect(fs.existsSync(path.join(file, '../../checkpoint.json'))).toBe(true)
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"value":3', '"value":9'))
  const theirs = await withCheckpoints()
  expect([theirs.seq, theirs.get('$.data.n')]).toEqual([3, 2])
  await expect(theirs.run(...set(5))).rejects.toMatchObject({ code: 'LOG_CORRUPT', details: { seq: 4 } })
  await theirs.close()
  expect(await verify()).toMatchObject({ ok: false, checkpoint: 'ahead' })
  await repairSession(filesKernel(root), mine.id)
  const mended = await withCheckpoints()
  expect(await mended.run(...set(5))).toMatchObject({ kind: 'accepted', seq: 5 })
  expect(await verify()).toMatchObject({ ok: true })
})

test('L3 a live reader behind it is told, and does not wait for ever', async () => {
  const { mine, alter, other } = await begin()
  const live = mine.commits({ after: mine.seq - 1, live: true })
  expect((await live.next()).value).toMatchObject({ seq: mine.seq })
  const next = live.next()
  alter()
  const theirs = await other()
  await Promise.all([expect(next).rejects.toMatchObject({ details: { replaced: true } }), theirs.run(...set(3))])
})

test('L3 a race that was lost says nothing against what was read', async () => {
  const { mine, file } = await begin()
  const { lives, seq } = mine
  fs.appendFileSync(file, line(seq, 'f'.repeat(64)).line)
  await mine.refresh()
  expect(await mine.run(...set(3))).toMatchObject({ kind: 'accepted', seq: seq + 1 })
  expect([mine.lives, mine.get('$.data.n')]).toEqual([lives, 3])
})

test('L3 so it is where a race was lost behind that commit: whoever reads it anew goes on behind the loser', async () => {
  const { root, mine, file, other, verify } = await begin()
  const before = temporaryFolder()
  fs.cpSync(root, before, { recursive: true })
  await mine.run(...set(3))
  const loser = await makeWorkspace(filesKernel(before, { checkpoints: false })).session(mine.id)
  await loser.run(...set(4))
  const lost =
    fs
      .readFileSync(path.join(before, path.relative(root, file)), 'utf8')
      .trimEnd()
      .split('\n')
      .at(-1) ?? ''
  fs.appendFileSync(file, `${lost}\n`)
  await mine.refresh()
  expect(mine.get('$.data.n')).toBe(3)
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"value":3', '"value":9'))
  const theirs = await other()
  expect(theirs.get('$.data.n')).toBe(4)
  await theirs.run(...set(5))
  await mine.run('state.set', { path: '$.data.m', value: 6 })
  expect(mine.get('$.data')).toEqual({ n: 5, m: 6 })
  expect(await verify()).toMatchObject({ ok: true, seq: mine.seq })
})

test.each(['before it writes', 'while it writes'])(
  'L3 so it is where that happens behind its last look, %s',
  async (when) => {
    const { root, mine, file, alter, verify } = await begin()
    const theirs = await lineOfOthers(root, mine.id, file)
    const meanwhile = () => {
      alter()
      fs.appendFileSync(file, theirs)
    }
    const kernel = filesKernel(root, { checkpoints: false })
    const append: Log['append'] = (...asked) => {
      if (when === 'before it writes') meanwhile()
      else onceBefore('writeSync', meanwhile)
      return kernel.log.append(...asked)
    }
    const late = await new Session({ ...kernel, log: overriding(kernel.log, { append }) }, mine.id).open()
    const write = late.run('state.set', { path: '$.data.m', value: 4 })
    if (when === 'before it writes') expect(await write).toMatchObject({ kind: 'accepted', seq: 4 })
    else await expect(write).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    expect(await verify()).toMatchObject({ ok: when === 'before it writes' })
  },
)

/** What somebody would write who takes the last commit for a torn end. */
async function lineOfOthers(root: string, id: string, file: string): Promise<Buffer> {
  const copy = temporaryFolder()
  fs.cpSync(root, copy, { recursive: true })
  const same = path.join(copy, path.relative(root, file))
  fs.writeFileSync(same, fs.readFileSync(same, 'utf8').replace('"value":2', '"value":7'))
  const { size } = fs.statSync(same)
  const session = await makeWorkspace(filesKernel(copy, { checkpoints: false })).session(id)
  await session.run(...set(3))
  return fs.readFileSync(same).subarray(size)
}

function onceBefore(name: 'writeSync', act: () => void): void {
  const real = builtin[name]
  const replaced = (...args: readonly unknown[]): unknown => {
    Object.assign(builtin, { [name]: real })
    syncBuiltinESMExports()
    act()
    return Reflect.apply(real, builtin, args)
  }
  Object.assign(builtin, { [name]: replaced })
  syncBuiltinESMExports()
}

const changes: readonly (readonly [what: string, change: (text: string) => string])[] = [
  ['its value', (text) => text.replace('"value":2', '"value":7')],
  ['its hash', (text) => text.replace(/.(?="\}\n$)/, (digit) => (digit === '0' ? '1' : '0'))],
]

test.each(changes)(
  'a last commit of which %s was altered is told as damage, and repaired; readers pass over it',
  async (_, change) => {
    const { root, mine, file, other, verify } = await begin()
    fs.writeFileSync(file, change(fs.readFileSync(file, 'utf8')))
    const found = await verify()
    expect(found).toMatchObject({ ok: false, seq: 2, error: { code: 'LOG_CORRUPT', seq: 3 } })
    expect(found.fragments).toMatchObject([{ altered: true, last: true }])
    const reader = await other()
    expect([reader.seq, reader.damage, reader.get('$.data.n')]).toEqual([2, undefined, 1])
    expect(await repairSession(filesKernel(root), mine.id)).toMatchObject({
      cut: { commits: 1, from: 3, to: 3 },
      seq: 3,
    })
    expect(await verify()).toMatchObject({ ok: true, seq: 3, torn: 0 })
  },
)

const tears: readonly (readonly [what: string, change: (text: string) => string])[] = [
  ['ends early', (text) => text.slice(0, -40)],
  ['ends early, in a line', (text) => `${text.slice(0, -40)}\n`],
  ['lacks its newline', (text) => text.slice(0, -1)],
  ['was spoiled by who came behind it', (text) => `${text.slice(0, -1)} \n`],
  ['ends in zeros', (text) => `${text.slice(0, -40)}${'\0'.repeat(40)}`],
  ['lost a page', (text) => text.replace(/"value":2.{20}/, (part) => '\0'.repeat(part.length))],
  ['names another before it', (text) => text.replace(/"prev":"[^"]*"(?=[^\n]*\n$)/, `"prev":"${'e'.repeat(64)}"`)],
]

test.each(tears)('L3 a last line that %s is a torn end, and no damage', async (_, change) => {
  const { file, verify } = await begin()
  fs.writeFileSync(file, change(fs.readFileSync(file, 'utf8')))
  const found = await verify()
  expect(found).toMatchObject({ ok: true, seq: 2, fragments: [{ last: true }] })
  expect(found.fragments[0]).not.toHaveProperty('altered')
})

test('L3 once the log has gone on without it an altered commit is no damage any more, and still told', async () => {
  const { alter, other, verify } = await begin()
  alter()
  await (await other()).run(...set(3))
  const found = await verify()
  expect(found).toMatchObject({ ok: true, seq: 3, fragments: [{ altered: true }] })
  expect(found.fragments[0]).not.toHaveProperty('last')
})
