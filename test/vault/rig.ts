/* Two people with a workspace and keys each, and bundles that nobody honest would pack. */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import * as os from 'node:os'
import * as path from 'node:path'
import { gzipSync } from 'node:zlib'
import { openWorkspace, type OpenSession } from '../../src/compose.ts'
import { makePlace } from '../../src/drivers/files/place.ts'
import { host } from '../../src/drivers/host/host.ts'
import type { Key } from '../../src/drivers/vault/keys.ts'
import { HEAD, type Manifest } from '../../src/drivers/vault/manifest.ts'
import { sealed } from '../../src/drivers/vault/seal.ts'
import { Vault, type OpenWishes, type PackWishes } from '../../src/drivers/vault/vault.ts'
import { signedBytes } from '../../src/drivers/vault/write.ts'
import { EngineError } from '../../src/kernel/error.ts'
import type { Workspace } from '../../src/kernel/workspace.ts'

export const OPEN: OpenWishes = { passphraseFile: undefined, from: undefined, maxBytes: undefined }

export const PACK: Omit<PackWishes, 'file'> = {
  force: false,
  recipients: ['b'],
  passphraseFile: undefined,
  key: undefined,
  patch: false,
  transcripts: [],
}

export interface Side {
  readonly dir: string
  readonly home: string
  readonly workspace: Workspace<OpenSession>
  readonly vault: Vault
  readonly key: Key
}

export const scratch = (): string => fs.mkdtempSync(path.join(os.tmpdir(), 'vault-'))

export async function side(root: string, name: string): Promise<Side> {
  const [dir, home] = [path.join(root, name), path.join(root, `home-${name}`)]
  fs.mkdirSync(dir, { recursive: true })
  const workspace = await openWorkspace({ dir })
  const vault = new Vault({
    env: { STEADFOLD_HOME: home, STEADFOLD_DEVICE: name },
    version: '0',
    place: () => makePlace(path.join(dir, '.steadfold'), host.newId),
    project: (folder) => folder,
  })
  return { dir, home, workspace, vault, key: await vault.keys.create(name) }
}

export async function pair(root: string): Promise<readonly [a: Side, b: Side]> {
  const [a, b] = [await side(root, 'a'), await side(root, 'b')]
  a.vault.keys.trust(b.key)
  b.vault.keys.trust(a.key)
  return [a, b]
}

/** Everything below a folder but the time of day: what a refused bundle must leave as it was. */
/** What it fails with. */
export async function failure(work: Promise<unknown>): Promise<EngineError> {
  const error: unknown = await work.then(
    () => 'done',
    (each: unknown) => each,
  )
  if (error instanceof EngineError) return error
  throw new Error('it was to fail with an EngineError', { cause: error })
}

export const listing = (dir: string): readonly string[] =>
  (fs.readdirSync(dir, { recursive: true }) as string[]).toSorted()

export async function packed(a: Side, root: string, name = 'auth', commits = 3): Promise<string> {
  const session = await a.workspace.createSession({ name })
  for (let n = 0; n < commits; n += 1) await session.run('state.set', { path: `$.data.n${n}`, value: 'x'.repeat(50) })
  const file = path.join(root, `${name}.steadfold`)
  await a.vault.pack(a.workspace, session, a.dir, { ...PACK, file })
  await session.close()
  return file
}

/** A bundle with any manifest and any body, signed and sealed as if it were meant. */
export async function forged(
  file: string,
  {
    key,
    to,
    manifest,
    body,
  }: { readonly key: Key; readonly to: string; readonly manifest: Manifest; readonly body: Buffer },
): Promise<string> {
  const text = Buffer.from(JSON.stringify(manifest))
  const signature = `\n${key.signer} ${key.sign(signedBytes(text)).toString('base64url')}\n`
  const inner = Buffer.concat([Buffer.from(`${HEAD}${text.length}\n`), text, Buffer.from(signature), body])
  return sealedFile(file, to, inner)
}

export async function sealedFile(file: string, to: string, inner: Uint8Array): Promise<string> {
  const parts: Uint8Array[] = []
  async function* one() {
    yield inner
  }
  for await (const part of sealed(one(), { recipients: [to] })) parts.push(part)
  fs.writeFileSync(file, Buffer.concat(parts))
  return file
}

/** A manifest over these files, and the body that goes with it. */
export function honest(base: Manifest, files: Readonly<Record<string, Buffer>>): { manifest: Manifest; body: Buffer } {
  const list = Object.entries(files).map(([name, bytes]) => ({
    path: name,
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  }))
  return { manifest: { ...base, files: list }, body: gzipSync(Buffer.concat(Object.values(files))) }
}

/** The folders that are synced while `work` is done, told from `root`. */
export async function synced(root: string, work: () => Promise<unknown>): Promise<readonly string[]> {
  const { openSync, fsyncSync } = fs
  const [opened, folders] = [new Map<number, string>(), new Set<string>()]
  fs.openSync = (file, ...rest) => {
    const fd = openSync(file, ...rest)
    opened.set(fd, String(file))
    return fd
  }
  fs.fsyncSync = (fd) => {
    fsyncSync(fd)
    if (fs.fstatSync(fd).isDirectory()) folders.add(opened.get(fd) ?? '')
  }
  syncBuiltinESMExports()
  try {
    await work()
  } finally {
    Object.assign(fs, { openSync, fsyncSync })
    syncBuiltinESMExports()
  }
  return [...folders].map((folder) => path.relative(root, folder))
}
