/** Takes over what other programs have kept. */
import * as path from 'node:path'
import { EngineError } from '../../../kernel/error.ts'
import { carryOut, nameFor, type ImportOutcome } from '../../../kernel/exchange/carry-out.ts'
import type { Detected, Source } from '../../../kernel/exchange/importer.ts'
import type { Workspace } from '../../../kernel/workspace.ts'
import type { App } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { isOn, needed, textOf, type Input } from '../context/input.ts'
import { EXIT_PARTIAL, type Result } from '../context/result.ts'
import { nameOf } from '../context/scope.ts'
import { count, padEnd, plain, thousands, widthOf } from '../show/text.ts'
import type { Command } from '../syntax/command.ts'
import { brokenError, brokenOf, brokenText, isBroken } from './import-broken.ts'
import { type File, filesAt, fileOf } from './import-files.ts'

export const importing: Command<App> = {
  name: 'import',
  summary: 'take over files of other programs; their kind is detected',
  examples: [
    'import .claude/state --dry-run',
    'import workflow_plan_17649.sh',
    'import session.json --lenient --name auth',
    'import issues.jsonl --session build-auth',
    'cat tasks.json | import -',
  ],
  notes:
    'With --dry-run, or -n, it shows what would become of what. Each file is kept as it is, as a blob. Importing the same file again changes nothing; one that has grown, with --session, adds the tasks that are new. Exit 10: a rule has refused a part, which is named.',
  parameters: [
    { name: 'PATH', field: 'path', type: 'text', required: true, summary: 'a file, a folder, or - for stdin' },
  ],
  flags: [
    {
      name: 'name',
      field: 'name',
      type: 'text',
      value: 'NAME',
      summary: 'of the session that is begun; made of the file when left out',
    },
    {
      name: 'lenient',
      field: 'lenient',
      type: 'boolean',
      summary: 'take a document that breaks its own rules; they are listed',
    },
  ],
  shares: ['session', 'begin'],
  run: async (context, input) => {
    const word = needed(input, 'path')
    const files = word === '-' ? [stdin(context)] : filesAt(path.resolve(context.cwd, word), word)
    const found = sorted(context.app.imports.detect(files), isOn(input, 'lenient'))
    const { plans, stateless, broken } = found
    if (plans.length + stateless.length + broken.length === 0) throw nobodyKnows(context, word, found)
    const [only, ...others] = broken
    if (only !== undefined && plans.length + stateless.length + others.length === 0) throw brokenError(only)
    if (context.options.dryRun === true || plans.length === 0) return rehearsal(context, input, found)
    return carried(context, input, found)
  },
}

interface Detection {
  readonly plans: readonly Detected[]
  readonly stateless: readonly Detected[]
  readonly unknown: readonly Source[]
}

interface Found extends Detection {
  /** They break rules of their own: the rest goes on without them. */
  readonly broken: readonly Detected[]
}

function sorted(found: Detection, lenient: boolean): Found {
  const plans = found.plans.filter((plan) => !isBroken(plan, lenient)).map(withBytes)
  return { ...found, plans, broken: found.plans.filter((plan) => isBroken(plan, lenient)) }
}

/** What became of bytes is a problem of the file, whatever its kind. */
function withBytes(plan: Detected): Detected {
  // The files that were read are those that were given.
  const odd = plan.sources.filter((source) => !(source as File).isUtf8)
  const said = odd.map(({ path: file }) => `${file} is not UTF-8: bytes that are none were read as \u{FFFD}`)
  return said.length === 0 ? plan : { ...plan, problems: [...said, ...plan.problems] }
}

async function carried(context: Context<App>, input: Input, found: Found): Promise<Result> {
  const { plans } = found
  const workspace = await context.workspace()
  const session = context.askedSession === undefined ? undefined : await context.session('write')
  const { actor, reason } = context.options
  // Before anything is written, each has a place to go to.
  if (session === undefined) for (const plan of plans) await placeOf(workspace, input, plan)
  const done: (readonly [Detected, ImportOutcome])[] = []
  for (const plan of plans) {
    const name = intended(input, plan)
    done.push([plan, await carryOut(workspace, plan, { session, name, bytes: bytesOf(plan), actor, reason })])
  }
  const data = {
    imported: done.map(([plan, outcome]) => ({
      ...described(plan, nameOf(outcome.session)),
      session: { id: outcome.session.id, name: nameOf(outcome.session) },
      originals: outcome.originals,
      refused: outcome.refused,
      quarantined: outcome.quarantined,
      kept: outcome.kept,
      repeated: outcome.repeated,
    })),
    ...othersOf(found),
  }
  const text = () =>
    [...done.flatMap(([plan, outcome]) => outcomeText(context, plan, outcome)), ...othersText(context, found)].join(
      '\n',
    )
  return {
    data,
    text,
    ...partly(found.broken.length > 0 || done.some(([, each]) => isPartly(each))),
  }
}

// The files that were read are those that were given.
const bytesOf = ({ sources }: Detected) => sources.map((source) => (source as File).bytes)

/** Into a session that begins with it, it is tried in memory; what rules say of one that is there shows only when it is done. */
async function rehearsal(context: Context<App>, input: Input, found: Found): Promise<Result> {
  const { plans } = found
  const asked = context.askedSession === undefined ? undefined : nameOf(await context.session('read'))
  const tried =
    asked === undefined
      ? await fates(context, input, plans)
      : plans.map((plan) => [plan, { name: asked, refused: [], quarantined: 0 }] as const)
  const data = {
    planned: tried.map(([plan, { name, ...fate }]) => ({ ...described(plan, name), ...fate })),
    ...othersOf(found),
    dry_run: context.options.dryRun === true,
  }
  const lines = () =>
    tried.flatMap(([plan, fate]) => [...planText(context, plan, fate.name), ...fateText(context, fate, fate.name)])
  return {
    data,
    text: () => [...lines(), ...othersText(context, found)].join('\n'),
    ...partly(found.broken.length > 0 || tried.some(([, fate]) => isPartly(fate))),
  }
}

type Fate = Pick<ImportOutcome, 'refused' | 'quarantined'>
type Tried = readonly [Detected, Fate & { readonly name: string }]

/** One after the other in one place: a file takes a name from those behind it. */
async function fates(context: Context<App>, input: Input, plans: readonly Detected[]): Promise<readonly Tried[]> {
  const { app, options } = context
  const workspace = await workspaceIn(context)
  const scratch = await app.imports.scratch()
  const tried: Tried[] = []
  for (const plan of plans) {
    const name = workspace === undefined ? intended(input, plan) : await placeOf(workspace, input, plan)
    const { session, refused, quarantined } = await carryOut(scratch, plan, {
      name,
      bytes: bytesOf(plan),
      actor: options.actor,
    })
    tried.push([plan, { name: nameOf(session), refused, quarantined }])
  }
  return tried
}

/** A folder that is none yet can be looked at all the same. */
const workspaceIn = (context: Context<App>): Promise<Workspace | undefined> =>
  context.workspace().catch((error: unknown) => {
    if (error instanceof EngineError && error.code === 'WORKSPACE_NOT_FOUND') return undefined
    throw error
  })

const placeOf = (workspace: Workspace, input: Input, plan: Detected): Promise<string> =>
  nameFor(workspace, { name: intended(input, plan), bytes: bytesOf(plan) })

const isPartly = ({ refused, quarantined }: Fate): boolean => refused.length > 0 || quarantined > 0

const partly = (is: boolean) => (is ? { exit: EXIT_PARTIAL } : {})

const othersOf = ({ stateless, unknown, broken }: Found) => ({
  broken: brokenOf(broken),
  stateless: stateless.map(({ kind, sources, stateless: why }) => ({
    kind,
    files: sources.map(({ path: at }) => at),
    why,
  })),
  unknown: unknown.map((source) => source.path),
})

/** Of the session that is begun when none is named. */
const intended = (input: Input, { group }: Detected): string => textOf(input, 'name') ?? slug(group)

/** `into`: the name of the session. */
const described = ({ kind, sources, rows, problems, violations = [] }: Detected, into: string) => ({
  kind,
  files: sources.map((source) => source.path),
  name: into,
  rows: rows.map(({ what, count: n, becomes = null }) => ({ what, count: n, becomes })),
  problems,
  violations,
})

function planText(context: Context<App>, plan: Detected, into: string): readonly string[] {
  const { paint } = context
  const { kind, sources, rows, problems, violations = [] } = plan
  const files = sources.map((source) => plain(source.path)).join(', ')
  // What becomes of a part is never cut: a name that is longer pushes it on.
  const width = Math.min(36, Math.max(...rows.map(({ what }) => widthOf(plain(what)))))
  const table = rows.map(({ what, count: n, becomes = paint.dim('stays in the original') }) => {
    return `  ${thousands(n).padStart(3)}  ${padEnd(plain(what), width)}  ${becomes}`
  })
  const said = [...violations, ...problems]
  return [
    `${paint.bold(files)}  ${kind}  ${paint.dim(`into ${plain(into)}`)}`,
    ...table,
    ...said.slice(0, 20).map((each) => `  ${paint.yellow('!')} ${plain(each)}`),
    ...(said.length > 20 ? [`  ${paint.dim(`and ${said.length - 20} more; --json has all`)}`] : []),
  ]
}

function outcomeText(context: Context<App>, plan: Detected, outcome: ImportOutcome): readonly string[] {
  const { session, repeated } = outcome
  const { paint } = context
  const where = `${session.id}  ${plain(nameOf(session))}  seq ${thousands(session.seq)}`
  return [
    ...planText(context, plan, nameOf(session)),
    ...keptText(context, outcome),
    ...fateText(context, outcome, nameOf(session), ': steadfold chat quarantine says why'),
    repeated ? `  ${where}  ${paint.dim('nothing to do: it was imported before')}` : `  ${where}`,
  ]
}

/** The first of them, and how many there are. */
function keptText({ paint }: Context<App>, { kept }: ImportOutcome): readonly string[] {
  if (kept.length === 0) return []
  const names = kept.slice(0, 5).map(plain).join(', ')
  const said = `${names}${kept.length > 5 ? ` and ${kept.length - 5} more` : ''}`
  return [
    `  ${thousands(kept.length).padStart(3)}  there already, and left as ${kept.length === 1 ? 'it is' : 'they are'}: ${paint.dim(said)}`,
  ]
}

/** `where`: what says why something does not count. */
function fateText(context: Context<App>, { refused, quarantined }: Fate, name: string, where = ''): readonly string[] {
  const { paint } = context
  return [
    ...refused.flatMap(({ op, code, message, hint }) => [
      `  ${paint.red('refused')} ${op}: ${code}: ${plain(message)}`,
      ...(hint === undefined ? [] : [`  ${paint.dim(`next: ${plain(context.kept(hint, name))}`)}`]),
    ]),
    ...(quarantined === 0 ? [] : [`  ${paint.red(`${quarantined} do not count`)}${where}`]),
  ]
}

function othersText(context: Context<App>, { stateless, unknown, broken }: Found): readonly string[] {
  const { paint, app } = context
  const wrong = brokenText(context, broken)
  const known = stateless.flatMap(({ kind, sources, stateless: why = '' }) => [
    `${paint.bold(sources.map((source) => plain(source.path)).join(', '))}  ${kind}  ${paint.dim('nothing becomes state')}`,
    `  ${why}`,
  ])
  if (unknown.length === 0) return [...wrong, ...known]
  return [
    ...wrong,
    ...known,
    '',
    paint.dim(`${count(unknown.length, 'file')} passed over, of no kind that is known:`),
    ...unknown.slice(0, 20).map((each) => `  ${plain(each.path)}  ${paint.dim(plain(shapeOf(app, each)))}`),
  ]
}

function nobodyKnows({ app }: Context<App>, word: string, { unknown }: Found): EngineError {
  const kinds = app.imports.kinds.map(({ kind, summary }) => `  ${kind}: ${summary}`)
  const [only, ...more] = unknown
  const looks = only === undefined || more.length > 0 ? '' : `: ${shapeOf(app, only)}`
  return new EngineError('INPUT_INVALID', `${word} is of no kind that is known${looks}`, {
    hint: `steadfold state set data.NAME --file FILE keeps any JSON; what can be read:\n${kinds.join('\n')}`,
    details: { kinds: app.imports.kinds.map(({ kind }) => kind) },
  })
}

// The files that were read, or not, are those that were given.
const shapeOf = ({ imports }: App, source: Source): string => (source as File).unread ?? imports.shapeOf(source)

const stdin = ({ io }: Context<App>): File => fileOf('stdin', io.input())

/** A name that can be typed. */
const slug = (text: string): string => {
  const name = text
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '')
    .slice(0, 60)
  return /^[A-Za-z]/.test(name) ? name : `import-${name === '' ? 'file' : name}`
}
