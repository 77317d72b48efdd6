/* D4 where it counts: whatever way a secret comes in, it is in no file of the workspace. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { expect, test } from 'vitest'
import { openRunner, openWorkspace } from '../../src/index.ts'
import { keepBlob } from '../../src/kernel/texts.ts'
import { temporaryFolder } from '../conformance/kit.ts'
import { SECRETS } from './secrets.ts'

const SECRET = SECRETS[0]?.[1] ?? ''
const OUT = '[redacted:github-token]'

async function opened(config?: object) {
  const dir = temporaryFolder()
  if (config !== undefined) {
    fs.mkdirSync(path.join(dir, '.steadfold'), { mode: 0o700 })
    fs.writeFileSync(path.join(dir, '.steadfold', 'config.json'), JSON.stringify(config))
  }
  const workspace = await openWorkspace({ dir })
  return { dir, workspace, session: await workspace.createSession({ name: 'one' }) }
}

function filesWith(dir: string, text: string): readonly string[] {
  const all = fs.readdirSync(path.join(dir, '.steadfold'), { recursive: true, withFileTypes: true })
  return all
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => fs.readFileSync(file).includes(text))
}

test('D4 input, keys of it, reason and actor', async () => {
  const { dir, session } = await opened()
  const by = { reason: `since ${SECRET}`, actor: `tool:${SECRET}` }
  const answer = await session.run('state.set', { path: '$.data.note', value: { [SECRET]: [`a ${SECRET} b`] } }, by)
  expect(answer).toMatchObject({ kind: 'accepted' })
  expect(session.get('$.data.note')).toEqual({ [OUT]: [`a ${OUT} b`] })
  expect(JSON.stringify(answer)).not.toContain(SECRET)
  expect(session.get('$.session.redactions')).toEqual({ 'github-token': 4 })
  expect(filesWith(dir, SECRET)).toEqual([])
  await session.close()
})

test.each(['reason', 'actor'] as const)('D4 a secret in the %s alone, again and again', async (member) => {
  const { dir, session } = await opened()
  const by = { [member]: `tool:${SECRET}` }
  for (const value of [1, 2]) {
    await session.run('state.set', { path: '$.data.n', value })
    expect(await session.run('state.set', { path: '$.data.n', value: -value }, by)).toMatchObject({ kind: 'accepted' })
  }
  expect(session.get('$.session.redactions')).toEqual({ 'github-token': 2 })
  expect(filesWith(dir, SECRET)).toEqual([])
  await session.close()
})

test('D4 an idempotency key is kept as its hash, and tells requests apart as before', async () => {
  const { dir, session } = await opened()
  const set = (key: string, value: number) => session.run('state.set', { path: '$.data.n', value }, { key })
  await set(SECRET, 1)
  await set(`${SECRET.slice(0, -1)}Z`, 2)
  expect(await set(SECRET, 3)).toMatchObject({ repeated: true })
  expect(session.get('$.data.n')).toBe(2)
  expect(filesWith(dir, SECRET)).toEqual([])
  await session.close()
})

test('D4 what comes to nothing once it is clean is no commit, and what needs a name is refused', async () => {
  const { session } = await opened()
  const say = () => session.run('output.set', { name: 'token', value: SECRET })
  await say()
  const { seq } = session
  await say()
  expect(session.seq).toBe(seq)
  const named = await session.run('agent.register', { id: SECRET, role: 'worker' })
  expect(named).toMatchObject({ kind: 'refused', code: 'INPUT_INVALID' })
  expect(JSON.stringify(named)).not.toContain(SECRET)
  await session.close()
})

test('D4 facts that a shell hands in', async () => {
  const { dir, session, workspace } = await opened()
  await session.close()
  await workspace.close()
  const spool = path.join(dir, '.steadfold', 'spool')
  fs.mkdirSync(spool, { recursive: true })
  const fact = `steadfold-fact 1\nsession: \nactor: tool:shell\nop: output.set\nname: note\n\nuse ${SECRET}\n#end\n`
  fs.writeFileSync(path.join(spool, '1.fact'), fact)
  const again = await openWorkspace({ dir })
  const one = await again.session('one')
  expect(one.get("$.outputs['note'].value") ?? JSON.stringify(one.get('$.outputs'))).toContain(OUT)
  // The file that the shell wrote is put aside for ten minutes.
  const files = filesWith(dir, SECRET).map((file) => path.relative(dir, file))
  expect(files).toEqual([path.join('.steadfold', 'spool', 'taken', '1.fact')])
  await again.close()
})

test('D4 step output, its outputs and the text of its error', async () => {
  const { dir, session, workspace } = await opened()
  const runner = await openRunner(workspace)
  const [head, tail] = [SECRET.slice(0, 9), SECRET.slice(9)]
  const script = `T=${head}; T="\${T}${tail}"; echo "$T"; echo "note=$T" >> "$STEADFOLD_OUTPUT"; echo "no $T" >&2; exit $1`
  for (const exit of ['0', '3']) await runner.once({ session, key: `k${exit}`, argv: ['sh', '-c', script, 'sh', exit] })
  expect(JSON.stringify(session.stored)).toContain(`"note":"${OUT}"`)
  expect(session.get('$.session.redactions')).toEqual({ 'github-token': 5 })
  expect(filesWith(dir, SECRET)).toEqual([])
  await workspace.close()
})

test('D4 blobs; what was taken out of them is counted by the next commit', async () => {
  const { dir, session, workspace } = await opened()
  const kept = await keepBlob(workspace.kernel, session.id, Buffer.from(`log: ${SECRET}`))
  expect(kept?.bytes).toBe(`log: ${OUT}`.length)
  expect(filesWith(dir, SECRET)).toEqual([])
  await session.run('state.set', { path: '$.data.a', value: 1 })
  await session.run('state.set', { path: '$.data.a', value: 2 })
  expect(session.get('$.session.redactions')).toEqual({ 'github-token': 1 })
  await workspace.close()
})

test('D6 names of config.json; turned off, nothing is taken out', async () => {
  const named = await opened({ redaction: { names: ['pin'] } })
  await named.session.run('state.set', { path: '$.data.pin', value: 'four words of mine' })
  expect(named.session.get('$.data.pin')).toBe('[redacted:named-secret]')
  const off = await opened({ redaction: { enabled: false } })
  await off.session.run('state.set', { path: '$.data.a', value: SECRET })
  expect(off.session.get('$.data.a')).toBe(SECRET)
  for (const { workspace } of [named, off]) await workspace.close()
})

test('D4 a fork, and a state folded anew, say the same', async () => {
  const { dir, session, workspace } = await opened()
  await session.run('state.set', { path: '$.data.a', value: SECRET })
  const before = JSON.stringify(session.stored)
  await workspace.close()
  const again = await openWorkspace({ dir })
  expect(JSON.stringify((await again.session('one')).stored)).toBe(before)
  await again.close()
})
