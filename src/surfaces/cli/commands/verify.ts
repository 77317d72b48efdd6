/** Whether the logs tell the truth, and mending one that does not. */
import type { LostBlob } from '../../../kernel/care/blobs.ts'
import { goingFrom, type Going } from '../../../kernel/care/going.ts'
import { lost as logLost, remainsOf } from '../../../kernel/care/remains.ts'
import { assertKnown, repairSession } from '../../../kernel/care/repair.ts'
import {
  verifiedAll,
  verifiedData,
  verifiedOne,
  type Verified,
  type VerifiedData,
} from '../../../kernel/care/verified.ts'
import { verifySession, type Verification } from '../../../kernel/care/verify.ts'
import { EngineError } from '../../../kernel/error.ts'
import { NEWER_FORMAT } from '../../../kernel/log/chain.ts'
import { bringBack, fromBackup, isGone, mending } from '../../../kernel/log/replay.ts'
import type { Cut } from '../../../kernel/ports.ts'
import type { Dangling } from '../../../kernel/state/references.ts'
import type { Workspace } from '../../../kernel/workspace.ts'
import type { Context } from '../context/context.ts'
import { isOn, needed } from '../context/input.ts'
import { EXIT_INTEGRITY, EXIT_UNAVAILABLE } from '../context/result.ts'
import { quoted } from '../context/scope.ts'
import { columns, count, plain, thousands } from '../show/text.ts'
import type { Command } from '../syntax/command.ts'
import { ARCHIVED, AS } from '../syntax/flags.ts'

const verify: Command = {
  name: 'verify',
  summary: 'check every hash of every log; exit 9 when one is damaged',
  examples: ['verify', 'verify --session build-auth --deep', 'verify --archived', 'verify --json'],
  notes:
    '--deep also lists what the state names and does not hold, and reads its blobs; nothing is reset. Exit 8: one cannot be read here, and none is damaged.',
  parameters: [],
  flags: [
    {
      name: 'deep',
      field: 'deep',
      type: 'boolean',
      summary: 'also fold the log again, compare the state of the checkpoint, and list dangling references',
    },
    ARCHIVED,
  ],
  shares: ['session'],
  run: async (context, input) => {
    const workspace = await context.workspace()
    const found = await looked(context, workspace, isOn(input, 'deep'))
    const text = () =>
      found.length === 0
        ? 'no sessions to verify'
        : [...verifyLines(context, found), ...advice(found).map((line) => context.kept(line))].join('\n')
    return { data: found.map(verifiedData), text, exit: exitOf(found) }
  },
}

const isUnread = ({ result }: Verified): boolean => result.checkpoint === 'unread'

/** What is known to be broken says more than what is not known. */
function exitOf(found: readonly Verified[]): number {
  const broken = found.filter(({ result }) => !result.ok)
  if (broken.length === 0) return 0
  return broken.every(isUnread) ? EXIT_UNAVAILABLE : EXIT_INTEGRITY
}

/** All, or the one that is named. */
async function looked(context: Context, workspace: Workspace, deep: boolean): Promise<readonly Verified[]> {
  const { askedSession } = context
  const id = async () => (await context.session('read')).id
  if (askedSession !== undefined) return [await verifiedOne(workspace, askedSession, deep, id)]
  const found: Verified[] = []
  for await (const each of verifiedAll(workspace, deep)) found.push(each)
  return found
}

function verifyLines({ paint, io }: Context, found: readonly Verified[]): string[] {
  const rows = found.map((each) => [
    plain(each.name),
    isUnread(each) ? '' : count(each.result.seq, 'commit'),
    chainText(each.result),
    checkpointText(each.result),
    tornText(each.result),
  ])
  const told = found.map(verifiedData)
  const lines = columns(rows, { right: [1] })
  return lines.flatMap((line, i) => {
    const { checkpoint, dangling = [], lost = [], untold = [], error } = told[i] ?? {}
    const more = [...lost.map(lostText).map(paint.red), ...dangling.map(danglingText), ...untold.map(untoldText)]
    if (error === undefined) return [line, ...more]
    if (checkpoint === 'unread') return [paint.red(line), `  ${error.reason}`]
    const place = `  ${error.file ?? `segment ${error.segment}`} byte ${thousands(error.byte)}`
    return [paint.red(line), place.length > io.width ? place : paint.bold(place), `  ${error.reason}`]
  })
}

const danglingText = ({ path, names, why }: Dangling): string => `  ${plain(path)} names ${plain(names)}: ${plain(why)}`

const lostText = ({ path, sha256, why }: LostBlob): string => `  blob ${sha256} is ${why}: ${plain(path)} names it`

const untoldText = ({ seq, reason }: Cut): string =>
  `  a repair that was cut short took away what stood from commit ${seq} on: ${reason}`

function chainText({ error, dangling = [], lost = [] }: Verification): string {
  const chain = {
    LOG_CORRUPT: 'chain BROKEN',
    VERSION_UNKNOWN: 'chain of a NEWER version',
    CHECKPOINT_AHEAD: 'chain ok',
    READ_ONLY: 'cannot be read',
    STORE_UNAVAILABLE: 'cannot be read',
  }[error?.code ?? 'CHECKPOINT_AHEAD']
  return [
    chain,
    ...(lost.length === 0 ? [] : [`${count(lost.length, 'blob')} LOST`]),
    ...(dangling.length === 0 ? [] : [count(dangling.length, 'dangling reference')]),
  ].join(', ')
}

function checkpointText({ checkpoint }: Verification): string {
  return {
    none: 'no checkpoint',
    ok: 'checkpoint ok',
    damaged: 'checkpoint damaged (not used)',
    foreign: 'checkpoint foreign (not used)',
    ahead: 'checkpoint AHEAD of the log',
    wrong: 'checkpoint WRONG',
    unread: '',
  }[checkpoint]
}

function tornText({ ok, torn, races, fragments }: Verification): string {
  const parts: string[] = []
  const [first] = fragments
  if (torn > 0 && first !== undefined) {
    const bytes = fragments.reduce((sum, each) => sum + each.bytes, 0)
    const what = ok ? `; ${becameOf(fragments)}` : ''
    parts.push(`${count(torn, 'torn fragment')} (${count(bytes, 'byte')} at offset ${thousands(first.offset)}${what})`)
  }
  if (races > 0) parts.push(`${count(races, 'lost race')}`)
  return parts.join('  ')
}

/** What was never finished was promised to nobody. */
function becameOf(fragments: Verification['fragments']): string {
  if (fragments.some(({ altered }) => altered))
    return 'one was a whole commit, and was altered: the log went on without it'
  return fragments.some(({ last }) => last)
    ? 'the last line was never finished, or was altered; the log ends before it'
    : 'nothing lost'
}

const advice = (found: readonly Verified[]): string[] =>
  found.filter(({ result }) => !result.ok || result.untold !== undefined).map((each) => `next: ${nextFor(each)}`)

function nextFor({ name, result: { session, error, lost }, inFiles, hint }: Verified): string {
  if (hint !== undefined) return `${hint}, then: steadfold verify --session ${session}`
  if (error !== undefined && isGone(error)) return bringBack(session)
  if (error === undefined && lost !== undefined)
    return `bring ${blobsOf(session, inFiles)} back from a copy; all else of ${quoted(name)} is whole and goes on without them`
  if (error?.code === 'VERSION_UNKNOWN')
    return error.reason === NEWER_FORMAT
      ? mending(quoted(name), error)
      : 'open it with the newer steadfold that wrote it'
  if (!inFiles) return fromBackup(session)
  if (error?.seq === 1) return mending(quoted(name), error)
  const mend = `steadfold repair ${quoted(name)}`
  // Commits behind the damage may be many: what was written on a checkpoint is among them.
  return error === undefined ? mend : `${mend} --dry-run says what it would cut; ${mend}`
}

const blobsOf = (session: string, inFiles: boolean): string =>
  inFiles ? `.steadfold/sessions/${session}/blobs` : `these blobs of ${session}`

const repair: Command = {
  name: 'repair',
  summary: 'cut a damaged log back to its last proven commit',
  notes: 'What is cut off is copied aside first, and stays with the session.',
  examples: ['repair build-auth --dry-run', 'repair build-auth'],
  parameters: [{ name: 'SESSION', field: 'named', type: 'text', required: true, summary: 'whole id or exact name' }],
  flags: [{ name: 'dry-run', short: 'n', field: 'dryRun', type: 'boolean', summary: 'say what would be done' }, AS],
  shares: [],
  run: async (context, input) => {
    const workspace = await context.workspace()
    const named = needed(input, 'named')
    const gone = await remainsOf(workspace.kernel, named)
    if (gone !== undefined) throw logLost(gone)
    const id = (await workspace.kernel.log.exists(named)) ? named : (await context.session('remove', named)).id
    // As deep as the repair itself.
    const before = await verifySession(workspace.kernel, id, true)
    const kept = before.error === undefined ? before.seq : before.error.seq - 1
    if (before.error === undefined && before.untold === undefined)
      return { data: { session: id, repaired: false, seq: before.seq }, text: 'nothing to do: the log is sound' }
    assertKnown(before)
    if (isOn(input, 'dryRun')) {
      const data = verifiedData({ name: named, result: before, inFiles: workspace.kernel.log.repair !== undefined })
      const cut = before.error && (await goingFrom(workspace.kernel, id, before.error))
      return {
        data: { ...data, repaired: false, dry_run: true, ...(cut && { cut }) },
        text: wouldRepair(data, kept, cut),
      }
    }
    const { aside, seq, cut } = await repairSession(workspace.kernel, id, context.actor)
    if (seq === undefined)
      throw new EngineError('LOG_CORRUPT', `session ${id} was not repaired`, { hint: 'steadfold verify' })
    return {
      data: { session: id, repaired: true, kept, seq, aside, ...(cut && { cut }) },
      text: () =>
        [
          `kept ${count(kept, 'commit')}; the repair is commit ${seq}`,
          ...(cut === undefined ? [] : [`cut ${goingText(cut)}`]),
          'set aside:',
          ...aside.map((file) => `  ${file}`),
        ].join('\n'),
    }
  },
}

function wouldRepair({ error }: VerifiedData, kept: number, cut: Going | undefined): string {
  if (error === undefined || cut === undefined)
    return 'would tell of a repair that was cut short, and of what it set aside'
  const where = `${error.file ?? `segment ${error.segment}`} from byte ${thousands(error.byte)} on`
  return `would keep ${count(kept, 'commit')}, cut ${goingText(cut)}, and set aside\n  ${where}: ${error.reason}`
}

/** What they say they are: nothing proves it. */
function goingText({ lines, commits, from, to }: Going): string {
  if (commits === 0) return count(lines, 'line')
  const which = from === to ? `${from}` : `${from} to ${to}`
  const rest = lines === commits ? '' : `; ${count(lines - commits, 'more line')}`
  return `${count(commits, 'commit')}, ${which}${rest}`
}

export const verifyCommands: readonly Command[] = [verify, repair]
