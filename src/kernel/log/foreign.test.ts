/* Lines whose hash checks, and which no program of this format would write. */
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { filesKernel, makeWorkspace } from '../../compose.ts'
import { repairSession } from '../care/repair.ts'
import { verifySession } from '../care/verify.ts'
import type { Kernel } from '../kernel.ts'
import { Batch } from './batch.ts'

let root: string
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'foreign-'))
})
afterEach(() => fs.rmSync(root, { recursive: true, force: true }))

const ID = '01a20457-24d6-7000-8443-908d4d5ceec7'
const AT = '2100-01-01T00:00:00.000Z'
const SET = '{"type":"data.set","data":{"path":"$.data.x","value":1}}'

type Line = (seq: number, prev: string) => string
const line =
  (events: string, op = '"op":"state.set"'): Line =>
  (seq, prev) =>
    `{"v":1,"seq":${seq},"at":"${AT}","id":"${ID}","actor":"agent:x",${op},"cause":null,"events":[${events}],"prev":"${prev}"`

const FOREIGN: readonly (readonly [what: string, line: Line])[] = [
  ['an event without what it needs', line('{"type":"data.set","data":{}}')],
  ['a path that cannot be', line('{"type":"data.set","data":{"path":"nowhere[","value":1}}')],
  ['an event that is null', line('null')],
  ['no JSON', line(`${SET},`)],
  ['two lists of events', line(`${SET}],"more":[${SET}`)],
  ['blanks between its members', (seq, prev) => line(SET)(seq, prev).replace('"events":[', '"events": [')],
]

async function poisoned(kernel: Kernel, made: Line) {
  const workspace = makeWorkspace(kernel)
  const good = await workspace.createSession({ name: 'good' })
  const bad = await workspace.createSession({ name: 'bad' })
  await bad.run('state.set', { path: '$.data.a', value: 1 })
  const { id, seq, position } = bad
  await workspace.close()
  const batch = new Batch(kernel.host.sha256)
  const draft = { seq: seq + 1, at: AT, id: ID, actor: 'agent:x', op: 'state.set', cause: null, events: [] }
  batch.add(draft, made(seq + 1, position.hash))
  const again = filesKernel(root, { checkpoints: false })
  await again.log.append(id, batch, position, { durability: 'durable' })
  await again.log.close()
  return { good: good.id, bad: id, seq, position }
}

describe.each(FOREIGN)('a line with a good hash and %s', (_, made) => {
  test('stops its own session, with its name, and no other', async () => {
    const { good, bad, seq } = await poisoned(filesKernel(root, { checkpoints: false }), made)
    const warned: string[] = []
    const kernel = { ...filesKernel(root, { checkpoints: false }), warn: (said: string) => void warned.push(said) }
    const workspace = makeWorkspace(kernel)
    const listed: string[] = []
    for await (const session of workspace.sessions()) listed.push(session.id)
    expect(listed).toEqual([good])
    expect(warned.join()).toContain(`session ${bad} is left out`)
    await expect(workspace.session(bad)).rejects.toMatchObject({
      code: 'LOG_CORRUPT',
      message: expect.stringContaining(`session ${bad}: commit ${seq + 1}`) as unknown,
    })
    await workspace.close()
  })

  test('is found by a deep look, and cut off by a repair', async () => {
    const { bad, seq, position } = await poisoned(filesKernel(root, { checkpoints: false }), made)
    const kernel = filesKernel(root, { checkpoints: false })
    expect(await verifySession(kernel, bad)).toMatchObject({ ok: true })
    expect(await verifySession(kernel, bad, true)).toMatchObject({
      ok: false,
      error: { code: 'LOG_CORRUPT', seq: seq + 1, segment: position.segment, offset: position.offset },
    })
    const { aside } = await repairSession(kernel, bad)
    expect(aside).not.toEqual([])
    const workspace = makeWorkspace(kernel)
    const session = await workspace.session(bad)
    expect(session.get('$.data')).toEqual({ a: 1 })
    expect(session.seq).toBe(seq + 1)
    await workspace.close()
  })
})

test('a line whose number begins with a zero is no commit', async () => {
  const { bad, seq } = await poisoned(filesKernel(root, { checkpoints: false }), (next, prev) =>
    line(SET)(next, prev).replace('"seq":', '"seq":0'),
  )
  const workspace = makeWorkspace(filesKernel(root, { checkpoints: false }))
  const session = await workspace.session(bad)
  expect(session.seq).toBe(seq)
  expect(await session.run('state.set', { path: '$.data.b', value: 2 })).toMatchObject({ seq: seq + 1 })
  await workspace.close()
})

test('a head that is no JSON is told with the number of its commit', async () => {
  const { bad, seq } = await poisoned(filesKernel(root, { checkpoints: false }), line(SET, '"op":state'))
  const workspace = makeWorkspace(filesKernel(root, { checkpoints: false }))
  const session = await workspace.session(bad)
  const read = async () => {
    for await (const commit of session.commits()) expect(commit.seq).toBeLessThanOrEqual(seq)
  }
  await expect(read()).rejects.toMatchObject({ code: 'LOG_CORRUPT', details: { seq: seq + 1 } })
  await workspace.close()
})
