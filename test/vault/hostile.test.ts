import * as fs from 'node:fs'
import * as path from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Manifest } from '../../src/drivers/vault/manifest.ts'
import { EngineError } from '../../src/kernel/error.ts'
import { soak } from '../crash/rig/plan.ts'
import { forged, honest, listing, OPEN, packed, pair, scratch, sealedFile, side, type Side } from './rig.ts'

const root = scratch()
let a: Side
let b: Side
let good: string
let manifest: Manifest
let log: Buffer
let before: readonly string[]

beforeAll(async () => {
  ;[a, b] = await pair(root)
  good = await packed(a, root)
  manifest = (await b.vault.verify(good, OPEN)).manifest
  const [id = ''] = fs.readdirSync(path.join(a.dir, '.steadfold/sessions'))
  log = fs.readFileSync(path.join(a.dir, '.steadfold/sessions', id, 'log/00000000000000000001.jsonl'))
  before = listing(b.dir)
})

afterAll(() => fs.rmSync(root, { recursive: true, force: true }))

/** The code it is refused with, by verify and by unpack; nothing may be left behind. */
async function refusal(file: string, open = OPEN): Promise<string> {
  const codes: string[] = []
  for (const ask of [() => b.vault.verify(file, open), () => b.vault.unpack(b.workspace, file, open)]) {
    const error: unknown = await ask().then(
      () => 'taken',
      (each: unknown) => each,
    )
    codes.push(error instanceof EngineError ? error.code : String(error))
  }
  expect(listing(b.dir)).toEqual(before)
  expect(codes[1]).toBe(codes[0])
  return codes[0] ?? ''
}

const LOG = 'log/00000000000000000001.jsonl'
const forge = (name: string, made: { readonly manifest: Manifest; readonly body: Buffer }) =>
  forged(path.join(root, name), { key: a.key, to: b.key.recipient, ...made })

test(`R1 each of ${soak ? 300 : 60} flipped bits is refused, and nothing is left`, async () => {
  const bytes = fs.readFileSync(good)
  const file = path.join(root, 'flipped')
  const codes = new Set<string>()
  for (let n = 0; n < (soak ? 300 : 60); n += 1) {
    const bad = Buffer.from(bytes)
    const at = Math.floor((n * bytes.length) / (soak ? 300 : 60))
    bad[at] = (bad[at] ?? 0) ^ (1 << (n % 8))
    fs.writeFileSync(file, bad)
    codes.add(await refusal(file))
  }
  // A flipped bit in a recipient's line is one that no key opens.
  expect([...codes].filter((code) => code !== 'BUNDLE_INVALID' && code !== 'BUNDLE_SEALED')).toEqual([])
})

test(`R1 each of ${soak ? 50 : 15} truncations is refused, and nothing is left`, async () => {
  const bytes = fs.readFileSync(good)
  const file = path.join(root, 'cut')
  for (let n = 0; n < (soak ? 50 : 15); n += 1) {
    fs.writeFileSync(file, bytes.subarray(0, Math.floor((n * bytes.length) / (soak ? 50 : 15))))
    expect(await refusal(file)).toBe('BUNDLE_INVALID')
  }
})

test('R1 the same in what lies inside the envelope: each flipped bit is refused', async () => {
  const { body } = honest(manifest, { [LOG]: log })
  const text = JSON.stringify(manifest)
  for (let n = 0; n < (soak ? 100 : 20); n += 1) {
    const bad = Buffer.from(body)
    const at = Math.floor((n * bad.length) / (soak ? 100 : 20))
    bad[at] = (bad[at] ?? 0) ^ 1
    // The header of gzip holds bytes that mean nothing, such as its time.
    if (at >= 4 && at < 10) continue
    expect([at, await refusal(await forge('inner', { manifest, body: bad }))]).toEqual([at, 'BUNDLE_INVALID'])
  }
  expect(JSON.stringify(manifest)).toBe(text)
})

test('R1 another recipient, another passphrase, a stranger who signed and somebody other than expected are refused', async () => {
  const c = await side(root, 'c')
  const forC = await forged(path.join(root, 'for-c'), {
    key: a.key,
    to: c.key.recipient,
    ...honest(manifest, { [LOG]: log }),
  })
  expect(await refusal(forC)).toBe('BUNDLE_SEALED')
  expect(await refusal(good, { ...OPEN, from: 'b' })).toBe('SIGNER_UNKNOWN')
  const byC = await forged(path.join(root, 'by-c'), {
    key: c.key,
    to: b.key.recipient,
    ...honest(manifest, { [LOG]: log }),
  })
  expect(await refusal(byC)).toBe('SIGNER_UNKNOWN')
})

test('R1 a signer has each name that was trusted, and who names another is told one of them', async () => {
  b.vault.keys.trust({ ...a.key, name: 'anton' })
  await b.vault.verify(good, { ...OPEN, from: 'anton' })
  await expect(b.vault.verify(good, { ...OPEN, from: 'carl' })).rejects.toMatchObject({
    code: 'SIGNER_UNKNOWN',
    hint: 'if that is who sent it: --from a',
  })
})

test('R1 what was sealed for somebody else and handed on by them is refused', async () => {
  const onward = { ...manifest, sealed_for: ['age1somebodyelse'] }
  expect(await refusal(await forge('onward', honest(onward, { [LOG]: log })))).toBe('BUNDLE_INVALID')
})

test('R1 a signature over another manifest is refused', async () => {
  const { body } = honest(manifest, { [LOG]: log })
  const key = { ...a.key, sign: () => a.key.sign(Buffer.from('something else')) }
  const file = await forged(path.join(root, 'unsigned'), { key, to: b.key.recipient, manifest, body })
  expect(await refusal(file)).toBe('BUNDLE_INVALID')
})

const HASH = 'a'.repeat(64)
const NAMES = [
  '../escape',
  '/etc/passwd',
  'log/../../x',
  'blobs/../x',
  'log/00000000000000000001.jsonl/x',
  'log\\x',
  'C:\\x',
  '',
  'carried/transcripts/CON',
  'carried/transcripts/nul.txt',
  'carried/transcripts/a\u0000b',
  'carried/transcripts/..',
  'carried/transcripts/.hidden',
  'carried/transcripts/end.',
  'checkpoint.json',
  'turn',
  `blobs/sha256/bb/${HASH}`,
  'carried/transcripts/a/b',
  'LOG/00000000000000000001.jsonl',
  'carried/transcripts/ﬁ',
  'carried/patch.diff/',
  './carried/patch.diff',
]

test.each(NAMES)('B1 a file called %j is refused', async (name) => {
  const made = honest(manifest, { [LOG]: log, [name]: Buffer.from('x') })
  expect(await refusal(await forge('named', made))).toBe('BUNDLE_INVALID')
})

test('B1 twins that differ in case alone are refused', async () => {
  const twins = { 'carried/transcripts/A': Buffer.from('x'), 'carried/transcripts/a': Buffer.from('y') }
  expect(await refusal(await forge('twins', honest(manifest, { [LOG]: log, ...twins })))).toBe('BUNDLE_INVALID')
})

test.each(['..', '../x', 'a/b', '.hidden', 'x'.repeat(129), 'a\u0000'])(
  'B1 a session called %j is refused',
  async (id) => {
    const named = { ...manifest, session: { ...manifest.session, id } }
    expect(await refusal(await forge('session', honest(named, { [LOG]: log })))).toBe('BUNDLE_INVALID')
  },
)

test('B3 more, less and other bytes than declared are refused', async () => {
  const made = honest(manifest, { [LOG]: log })
  const bodies = {
    more: gzipSync(Buffer.concat([log, Buffer.from('\n')])),
    less: gzipSync(log.subarray(0, -1)),
    other: gzipSync(Buffer.from(log.toString('latin1').replace('xxx', 'yyy'), 'latin1')),
    behind: Buffer.concat([made.body, Buffer.from('behind')]),
    'a second part': Buffer.concat([made.body, gzipSync(Buffer.from('behind'))]),
    nothing: Buffer.alloc(0),
  }
  for (const [name, body] of Object.entries(bodies))
    expect([name, await refusal(await forge('body', { manifest: made.manifest, body }))]).toEqual([
      name,
      'BUNDLE_INVALID',
    ])
})

test('B3 a log that does not hold together is refused, however well it is signed', async () => {
  const lines = log.toString('latin1').split(/(?<=\n)/)
  const logs = {
    'a gap': [lines[0], ...lines.slice(2)],
    'another order': [lines[1], lines[0], ...lines.slice(2)],
    'a line twice': [lines[0], ...lines],
    'an end missing': lines.slice(0, -1),
    'a torn line': [...lines.slice(0, -1), lines.at(-1)?.slice(0, -1)],
    'an empty line': [...lines, '\n'],
    'another value': lines.map((line) => line.replace('xxx', 'yyy')),
  }
  for (const [name, bad] of Object.entries(logs)) {
    const made = honest(manifest, { [LOG]: Buffer.from(bad.join(''), 'latin1') })
    expect([name, await refusal(await forge('log', made))]).toEqual([name, 'BUNDLE_INVALID'])
  }
  const none = honest(manifest, { 'carried/patch.diff': Buffer.from('x') })
  expect(await refusal(await forge('log', none))).toBe('BUNDLE_INVALID')
})

test('B2 bombs are refused in little memory: declared, undeclared, in the manifest and in the envelope', async () => {
  const zeros = gzipSync(Buffer.alloc(256 * 1024 * 1024), { level: 9 })
  const memory = process.memoryUsage().rss
  const bomb = { path: 'carried/patch.diff', bytes: 256 * 1024 * 1024, sha256: HASH }
  const declared = { ...manifest, files: [bomb] }
  expect(await refusal(await forge('declared', { manifest: declared, body: zeros }))).toBe('BUNDLE_INVALID')
  const small = { ...manifest, files: [{ ...bomb, bytes: 1000 }] }
  expect(await refusal(await forge('undeclared', { manifest: small, body: zeros }))).toBe('BUNDLE_INVALID')
  const huge = Buffer.concat([Buffer.from('steadfold-bundle 1\n999999999\n'), Buffer.alloc(1000)])
  expect(await refusal(await sealedFile(path.join(root, 'manifest'), b.key.recipient, huge))).toBe('BUNDLE_INVALID')
  const endless = path.join(root, 'endless')
  fs.writeFileSync(endless, `age-encryption.org/v1\n${'-> x y\n\n'.repeat(1_000_000)}`)
  expect(await refusal(endless)).toBe('BUNDLE_INVALID')
  const nested = honest(manifest, { [LOG]: gzipSync(zeros) })
  expect(await refusal(await forge('nested', nested))).toBe('BUNDLE_INVALID')
  expect((process.memoryUsage().rss - memory) / 1024 / 1024).toBeLessThan(64)
})

test('R1 after all that, the bundle itself is taken', async () => {
  const taken = await b.vault.unpack(b.workspace, good, OPEN)
  expect([taken.added, taken.signed_by]).toEqual([4, 'a'])
  const modes = fs
    .readdirSync(b.dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.parentPath.includes('/.steadfold'))
    .map((entry) => fs.statSync(path.join(entry.parentPath, entry.name)).mode & 0o077)
  expect(modes.every((mode) => mode === 0)).toBe(true)
})
