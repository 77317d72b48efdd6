/** Sessions as such: make, find, copy, put away. What changes one from inside is made from its operations. */
import { goneLines, lineOf, onlyBeginsWith, STATUSES, type SessionLine } from '../../../kernel/about-session.ts'
import { countArchived } from '../../../kernel/care/put-away.ts'
import { originOf, type CreateSession, type Shared } from '../../../kernel/create-session.ts'
import { EngineError } from '../../../kernel/error.ts'
import { byAnyName } from '../../../kernel/names.ts'
import type { Session } from '../../../kernel/session.ts'
import type { Workspace } from '../../../kernel/workspace.ts'
import { written } from '../answer/answer.ts'
import { recordText } from '../answer/record.ts'
import type { Context } from '../context/context.ts'
import { isOn, needed, textOf } from '../context/input.ts'
import { projectAt } from '../context/project.ts'
import type { Result } from '../context/result.ts'
import { nameOf, statusOf } from '../context/scope.ts'
import { fit, leftOut, type Column } from '../show/fit.ts'
import { ago, plain, thousands } from '../show/text.ts'
import type { Command, Parameter } from '../syntax/command.ts'
import { ARCHIVED, BEGIN_KEY } from '../syntax/flags.ts'

const SESSION: Parameter = {
  name: 'SESSION',
  field: 'named',
  type: 'text',
  required: false,
  summary: 'id, beginning of an id, or name; the only active one when left out',
}

const create: Command = {
  name: 'session create',
  summary: 'begin a session',
  examples: [
    'session create build-auth',
    'session create build-auth --goal "Let users sign in" --json',
    'session create build-auth --mode development',
  ],
  parameters: [
    { name: 'NAME', field: 'name', type: 'text', required: true, summary: 'a name that no other session here has' },
  ],
  flags: [
    { name: 'goal', field: 'goal', type: 'text', value: 'TEXT', summary: 'what it is for' },
    {
      name: 'mode',
      field: 'mode',
      type: 'text',
      value: 'MODE',
      choices: ['development', 'leadership', 'config', 'emergency'],
      summary: 'begin with the teams, limits and expiry of a mode',
    },
    {
      name: 'hold',
      field: 'hold',
      type: 'boolean',
      summary: 'set it up first: no work begins before session activate',
    },
    { name: 'id', field: 'id', type: 'text', value: 'ID', summary: 'instead of a new UUID' },
    {
      name: 'if-missing',
      field: 'ifMissing',
      type: 'boolean',
      summary: 'answer with the one that has this name, or had it when nobody has',
    },
    BEGIN_KEY,
  ],
  shares: ['begin'],
  run: async (context, input) => {
    const workspace = await context.workspace()
    const name = needed(input, 'name')
    const { actor, key, reason, dryRun } = context.options
    const asked = {
      name,
      goal: textOf(input, 'goal'),
      mode: textOf(input, 'mode'),
      hold: isOn(input, 'hold'),
      ...(textOf(input, 'mode') === undefined ? {} : { context: { ...projectAt(context.project) } }),
      id: textOf(input, 'id'),
      actor,
      key,
      reason,
    }
    const there = isOn(input, 'ifMissing') ? await calledSo(workspace, name) : undefined
    if (there !== undefined) return begunAs(there, false)
    try {
      if (dryRun === true) return await rehearsed(workspace, asked, 'would begin it')
      return begunAs(await workspace.createSession(asked), true)
    } catch (error) {
      if (!isOn(input, 'ifMissing') || !(error instanceof EngineError) || error.code !== 'NAME_TAKEN') throw error
      return begunAs(await workspace.session(name), false)
    }
  },
}

const begunAs = (session: Session, created: boolean): Result => ({
  data: { session: describe(session), created },
  text: () => session.id,
})

/** Or was, and is called otherwise since; what is only the beginning of an id is no name. */
async function calledSo(workspace: Workspace, name: string): Promise<Session | undefined> {
  try {
    const session = await byAnyName((id = name) => workspace.session(id))
    return onlyBeginsWith(session, name) ? undefined : session
  } catch (error) {
    if (error instanceof EngineError && /^SESSION_(NOT_FOUND|AMBIGUOUS)$/.test(error.code)) return undefined
    throw error
  }
}

async function rehearsed(workspace: Workspace, asked: CreateSession, text: string, shared?: Shared): Promise<Result> {
  await workspace.rehearse(asked, shared)
  return { data: { name: asked.name, created: false, dry_run: true }, text }
}

const list: Command = {
  name: 'session list',
  summary: 'all sessions of the workspace',
  examples: ['session list', 'session list --status active --json', 'session list --archived'],
  parameters: [],
  flags: [
    {
      name: 'status',
      field: 'status',
      type: 'text',
      value: 'STATUS',
      choices: STATUSES,
      summary: 'only those',
    },
    ARCHIVED,
  ],
  shares: [],
  run: async (context, input) => {
    const wanted = textOf(input, 'status')
    const workspace = await context.workspace()
    const found: SessionLine[] = []
    const gone = await goneLines(workspace.kernel)
    for await (const session of workspace.sessions((id) => !gone.some((line) => line.id === id))) {
      if (wanted === undefined || statusOf(session) === wanted) found.push(describe(session))
      await session.close()
    }
    if (wanted === undefined || wanted === 'damaged') found.push(...gone)
    const away = found.length > 0 || context.json ? 0 : await countArchived(workspace)
    const none = `no sessions${away === 0 ? '' : `, ${away} archived: steadfold session list --archived`}`
    return {
      data: found,
      text: () =>
        found.length === 0
          ? context.kept(`${none}; begin one with: steadfold session create NAME`)
          : listText(context, found),
    }
  },
}

/** Names and ids are what one copies from here. */
const LISTED: readonly Column[] = [
  { name: 'name' },
  { name: 'status' },
  { name: 'seq', right: true, rank: 1 },
  { name: 'updated', rank: 2 },
  { name: 'id' },
]

function listText(context: Context, sessions: readonly SessionLine[]): string {
  const { paint, io } = context
  const now = context.now()
  const rows = sessions.map(({ name, status, seq, updated_at, id }) => [
    plain(name),
    status,
    `seq ${thousands(seq)}`,
    updated_at === null ? 'no commit can be read' : ago(updated_at, now),
    id,
  ])
  const { lines, missing } = fit(rows, LISTED, io.width)
  const dyed = lines.map((line, i) => (sessions[i]?.status === 'active' ? line : paint.dim(line)))
  return [...dyed, ...leftOut(missing).map(paint.dim)].join('\n')
}

const show: Command = {
  name: 'session show',
  summary: 'one session: goal, state of life, marks, lease',
  examples: ['session show', 'session show build-auth --json', 'session show build-auth --archived'],
  parameters: [SESSION],
  flags: [ARCHIVED],
  shares: ['session'],
  run: async (context, input) => {
    const { session, at } = await context.sessionAt('read', textOf(input, 'named'))
    const slice = await sliceAt(session, at)
    const seq = at === undefined ? session.seq : await session.resolve(at)
    const line = { ...describe(session), seq }
    const text = () => recordText(context, { ...line, ...slice, id: session.id }) ?? ''
    return { data: { ...line, session: slice }, text }
  },
}

async function sliceAt(session: Session, at: string | undefined): Promise<Readonly<Record<string, unknown>>> {
  const value: unknown = await session.get('$.session', { at })
  // The slice of its module is an object, where there is one.
  return (value ?? {}) as Readonly<Record<string, unknown>>
}

const exists: Command = {
  name: 'session exists',
  summary: 'exit 0 when there is such a session, else 3',
  examples: ['session exists build-auth || steadfold session create build-auth'],
  parameters: [{ ...SESSION, required: true }],
  flags: [],
  shares: [],
  run: async (context, input) => {
    try {
      const session = await (await context.workspace()).session(needed(input, 'named'))
      return { data: { exists: true, id: session.id, name: nameOf(session) }, text: '' }
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== 'SESSION_NOT_FOUND') throw error
      return { data: { exists: false }, text: '', exit: 3 }
    }
  },
}

const rename: Command = {
  name: 'session rename',
  summary: 'give a session another name',
  examples: ['session rename build-auth auth', 'session rename auth --session 01a2005f'],
  parameters: [
    {
      name: 'SESSION',
      field: 'first',
      type: 'text',
      required: true,
      summary: 'the session; left out when it is named otherwise',
    },
    { name: 'NAME', field: 'second', type: 'text', required: false, summary: 'its new name' },
  ],
  flags: [],
  shares: ['session', 'write'],
  run: async (context, input) => {
    const { options } = context
    const second = textOf(input, 'second')
    const session = await context.session('write', second === undefined ? undefined : needed(input, 'first'))
    return written(context, await session.run('session.rename', { name: second ?? needed(input, 'first') }, options))
  },
}

const fork: Command = {
  name: 'session fork',
  summary: 'a new session that shares history up to a point',
  examples: [
    'session fork build-auth build-auth-2',
    'session fork build-auth@draft-done other-way',
    'session fork build-auth other-way --at @-3',
  ],
  parameters: [
    {
      name: 'SESSION',
      field: 'named',
      type: 'text',
      required: true,
      summary: 'the session to go on from; SESSION@POINT for an earlier one',
    },
    { name: 'NAME', field: 'name', type: 'text', required: true, summary: 'name of the new session' },
  ],
  flags: [BEGIN_KEY],
  shares: ['at', 'begin'],
  run: async (context, input) => {
    const { actor, key, reason, dryRun } = context.options
    const { session, at } = await context.sessionAt('read', needed(input, 'named'))
    const [workspace, name, seq] = [await context.workspace(), needed(input, 'name'), await session.resolve(at ?? '@')]
    if (dryRun === true)
      return rehearsed(workspace, { name, key }, `would share ${past(session, seq)}`, { from: session, seq })
    const made = await workspace.fork(session, name, seq, { actor, key, reason })
    const shared = originOf(made)?.seq ?? seq
    const data = { session: describe(made), from: { id: session.id, name: nameOf(session), seq: shared } }
    return { data, text: () => `${made.id}  shares ${past(session, shared)}` }
  },
}

const past = (session: Session, seq: number): string => `commits 1 to ${thousands(seq)} with ${plain(nameOf(session))}`

const describe = (session: Session): SessionLine => lineOf(session, session.now())

export const sessionCommands: readonly Command[] = [create, list, show, exists, rename, fork]
