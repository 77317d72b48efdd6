/** A session in one file, for another machine. */
import * as path from 'node:path'
import { tellNamesake } from '../answer/namesake.ts'
import type { App } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { isOn, listOf, needed, numberOf, textOf, type Input } from '../context/input.ts'
import { nameOf, quoted } from '../context/scope.ts'
import type { Inspected, Manifest, OpenWishes, Packed, PackWishes } from '../context/vault.ts'
import { bytes, columns, count, plain, thousands } from '../show/text.ts'
import type { Command, Flag, Parameter } from '../syntax/command.ts'

export const FILE: Parameter = { name: 'FILE', field: 'file', type: 'text', required: true, summary: 'the bundle' }

const PASSPHRASE: Flag = {
  name: 'passphrase-file',
  field: 'passphraseFile',
  type: 'text',
  value: 'FILE',
  summary: 'instead of keys: a file with the passphrase, - for stdin',
}

/** Of what packs. */
export const SEALS: readonly Flag[] = [
  {
    name: 'recipient',
    short: 'r',
    field: 'recipients',
    type: 'text',
    value: 'WHO',
    repeat: true,
    summary: 'who may open it: age1…, or a name from key list',
  },
  PASSPHRASE,
  { name: 'key', field: 'key', type: 'text', value: 'NAME', summary: 'that signs it; the only one when left out' },
  { name: 'out', short: 'o', field: 'out', type: 'text', value: 'FILE', summary: 'NAME.steadfold when left out' },
  { name: 'force', field: 'force', type: 'boolean', summary: 'replace a file that is there' },
  { name: 'patch', field: 'patch', type: 'boolean', summary: 'take along what git has not committed' },
  {
    name: 'patch-secrets',
    field: 'patchSecrets',
    type: 'text',
    value: 'HOW',
    choices: ['refuse', 'redact', 'keep'],
    summary: 'what to do with what looks like secrets in the patch; refuse when left out',
  },
  {
    name: 'transcript',
    field: 'transcripts',
    type: 'text',
    value: 'FILE',
    repeat: true,
    summary: 'take along a text, such as what an agent wrote down',
  },
]

/** Of what opens. */
export const OPENS: readonly Flag[] = [
  PASSPHRASE,
  { name: 'from', field: 'from', type: 'text', value: 'WHO', summary: 'refuse it unless they signed it' },
  {
    name: 'max-bytes',
    field: 'maxBytes',
    type: 'number',
    value: 'N',
    summary: 'how much it may hold; by its own size when left out',
  },
]

export const packWishes = (context: Context, input: Input, name: string): PackWishes => ({
  file: path.resolve(
    context.cwd,
    textOf(input, 'out') ?? `${name.replaceAll(/[^\p{L}\p{M}\p{N}_.-]+/gu, '_')}.steadfold`,
  ),
  force: isOn(input, 'force'),
  recipients: listOf(input, 'recipients'),
  passphraseFile: passphraseOf(context, input),
  key: textOf(input, 'key'),
  patch: isOn(input, 'patch'),
  patchSecrets: howOf(textOf(input, 'patchSecrets')),
  transcripts: listOf(input, 'transcripts').map((file) => path.resolve(context.cwd, file)),
})

function passphraseOf({ io }: Context, input: Input): PackWishes['passphraseFile'] {
  const file = textOf(input, 'passphraseFile')
  return file === '-' ? io.input : file
}

const howOf = (word = 'refuse'): PackWishes['patchSecrets'] => (word === 'redact' || word === 'keep' ? word : 'refuse')

export const openWishes = (context: Context, input: Input): OpenWishes => ({
  passphraseFile: passphraseOf(context, input),
  from: textOf(input, 'from'),
  maxBytes: numberOf(input, 'maxBytes'),
})

export const fileOf = (context: Context, input: Input): string => path.resolve(context.cwd, needed(input, 'file'))

export const packedData = ({ manifest, bytes: size }: Packed, file: string) => {
  const { session, kind, files, redactions, kept_secrets = {} } = manifest
  return { file, bytes: size, kind, session, files: files.length, redactions, kept_secrets }
}

const pack: Command<App> = {
  name: 'bundle pack',
  summary: 'a session in one file: signed, compressed, sealed',
  notes: 'The session stays here and goes on; to move it: teleport send. Debian’s age opens the envelope, too.',
  examples: [
    'bundle pack --recipient desk',
    'bundle pack build-auth -r age1… -r ana --out auth.steadfold --patch',
    'bundle pack --passphrase-file secret.txt --transcript notes.jsonl',
  ],
  parameters: [
    { name: 'SESSION', field: 'named', type: 'text', required: false, summary: 'the only active one when left out' },
  ],
  flags: SEALS,
  shares: ['session'],
  run: async (context, input) => {
    const session = await context.session('read', textOf(input, 'named'))
    const wishes = packWishes(context, input, nameOf(session))
    const vault = await context.app.vault(context.dir)
    const packed = await vault.pack(await context.workspace(), session, context.dir, wishes)
    return { data: packedData(packed, wishes.file), text: () => `${wishes.file}  ${packedText(packed)}` }
  },
}

export const packedText = ({ manifest: { session, files, ...said }, bytes: size }: Packed): string =>
  [`${count(session.seq, 'commit')}, ${count(files.length, 'file')}, ${bytes(size)}`, ...secretsText(said)].join('\n')

function secretsText({
  redactions,
  kept_secrets = {},
}: Pick<Manifest, 'redactions' | 'kept_secrets'>): readonly string[] {
  const told = (found: Readonly<Record<string, number>>, what: string) => {
    const all = Object.entries(found)
    const rules = all.map(([rule, times]) => `${plain(rule)} ${times}`).join(', ')
    return all.length === 0 ? [] : [`${what}: ${rules}`]
  }
  return [...told(redactions, 'taken out'), ...told(kept_secrets, 'what looks like secrets goes along')]
}

const looks = (verb: 'inspect' | 'verify', summary: string): Command<App> => ({
  name: `bundle ${verb}`,
  summary,
  examples: [`bundle ${verb} auth.steadfold`, `bundle ${verb} auth.steadfold --passphrase-file secret.txt --json`],
  parameters: [FILE],
  flags: OPENS,
  shares: [],
  run: async (context, input) => {
    const vault = await context.app.vault()
    const found = await vault[verb](fileOf(context, input), openWishes(context, input))
    return { data: found, text: () => inspectedText(context, found, verb === 'verify' ? undefined : verifies(input)) }
  },
})

function verifies(input: Input): string {
  const secret = textOf(input, 'passphraseFile')
  const words = [needed(input, 'file'), ...(secret === undefined ? [] : ['--passphrase-file', secret])]
  return `steadfold bundle verify ${words.map(quoted).join(' ')}`
}

/** `next` is what would verify it. */
function inspectedText({ paint, io }: Context, found: Inspected, next: string | undefined): string {
  const { manifest, signer, signed_by } = found
  const { session, made_at, made_by, files, kind } = manifest
  const secrets = secretsText(manifest)
  const total = files.reduce((sum, file) => sum + file.bytes, 0)
  const rows = [
    ['session', `${plain(session.name)}  ${session.id}`],
    ['kind', kind],
    ['commits', `${thousands(session.from)} to ${thousands(session.seq)}  head ${session.head.slice(0, 16)}…`],
    ['epoch', String(session.epoch)],
    ['made', `${made_at} on ${plain(made_by.device)}`],
    ['signed by', signed_by === null ? `${signer} (a stranger)` : `${plain(signed_by)} (${signer})`],
    ['holds', `${count(files.length, 'file')}, ${bytes(total)}; ${bytes(found.bytes)} as it lies`],
  ]
  const lines = columns(rows, { width: io.width }).map((line) => line.replace(/^\S+( by)?/, (head) => paint.dim(head)))
  const last =
    next === undefined
      ? paint.green('whole: signature, sizes, hashes and chain')
      : paint.dim(plain(`not verified: ${next}`))
  return [...lines, ...secrets, last].join('\n')
}

export const carriedText = ({ paint }: Context, carried: readonly string[]): readonly string[] =>
  carried.map((file) => `${paint.dim('came along')}  ${plain(file)}`)

const unpack: Command<App> = {
  name: 'bundle unpack',
  summary: 'take a session out of a bundle, or what is new of one that is here',
  notes: 'Everything is verified before a byte is written. What was sent with teleport arrives with teleport receive.',
  examples: ['bundle unpack auth.steadfold', 'bundle unpack auth.steadfold --from desk'],
  parameters: [FILE],
  flags: OPENS,
  shares: [],
  run: async (context, input) => {
    const vault = await context.app.vault(context.dir)
    const done = await vault.unpack(await context.workspace(), fileOf(context, input), openWishes(context, input))
    const { manifest, added, seq, carried } = done
    const { id, name } = manifest.session
    await tellNamesake(context, manifest.session)
    return {
      data: { session: manifest.session, added, seq, carried, signed_by: done.signed_by },
      text: () =>
        [
          added === 0
            ? `${plain(name)} is here already, up to ${thousands(seq)}`
            : `${plain(name)}  ${id}  ${count(added, 'new commit')}`,
          ...carriedText(context, carried),
        ].join('\n'),
    }
  },
}

export const bundleCommands: readonly Command<App>[] = [
  pack,
  looks('inspect', 'what a bundle says of itself'),
  looks('verify', 'whether a bundle is whole: signature, sizes, hashes, chain'),
  unpack,
]
