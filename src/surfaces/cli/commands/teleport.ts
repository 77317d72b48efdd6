/** Moves a session: afterwards it is worked on over there, and only read here. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { EngineError } from '../../../kernel/error.ts'
import type { Session } from '../../../kernel/session.ts'
import { tellNamesake } from '../answer/namesake.ts'
import { waysOn } from '../answer/ways-on.ts'
import type { App } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { needed, textOf, usage, type Input } from '../context/input.ts'
import type { Result } from '../context/result.ts'
import { nameOf, quoted } from '../context/scope.ts'
import type { Arrival, Places } from '../context/vault.ts'
import { count, plain } from '../show/text.ts'
import type { Command, Flag, Parameter } from '../syntax/command.ts'
import { AS } from '../syntax/flags.ts'
import { carriedText, FILE, fileOf, OPENS, openWishes, packedData, packedText, packWishes, SEALS } from './bundle.ts'

const SESSION: Parameter = {
  name: 'SESSION',
  field: 'named',
  type: 'text',
  required: false,
  summary: 'the only active one when left out',
}

const REMOTE: Flag = {
  name: 'remote',
  field: 'remote',
  type: 'text',
  value: 'NAME',
  summary: 'by way of a place that both reach, instead of a file',
}

const OF_FILES = SEALS.filter(({ name }) => name !== 'key')

const send: Command<App> = {
  name: 'teleport send',
  summary: 'send a session to another machine: it takes no writes here until it comes back',
  notes:
    'Killed in between, the same line again goes on. One recipient: two could both take it over. By way of a place the session goes alone, sealed for whom the place was added with.',
  examples: [
    'teleport send --recipient desk',
    'teleport send build-auth --remote origin',
    'teleport send build-auth -r age1… --patch --to "the desk"',
  ],
  parameters: [SESSION],
  flags: [
    ...SEALS,
    { name: 'to', field: 'to', type: 'text', value: 'TEXT', summary: 'whom it is for, told in the log' },
    REMOTE,
    AS,
  ],
  shares: ['session'],
  run: async (context, input) => {
    const remote = textOf(input, 'remote')
    if (remote !== undefined) assertNone(input, OF_FILES)
    const session = await context.session('remove', textOf(input, 'named'))
    if (remote !== undefined) return sentOver(context, input, session)
    const wishes = { ...packWishes(context, input, nameOf(session)), to: textOf(input, 'to'), actor: context.actor }
    const vault = await context.app.vault(context.dir)
    const packed = await vault.send(await context.workspace(), session, context.dir, wishes)
    return {
      data: packedData(packed, wishes.file),
      text: () => {
        const next = `steadfold teleport receive ${quoted(path.basename(wishes.file))}`
        const back = context.kept(`steadfold teleport cancel ${quoted(nameOf(session))}`)
        return `${wishes.file}  ${packedText(packed)}\n${context.paint.dim(`next, over there: ${next}\nif it is never received: ${back}`)}`
      },
    }
  },
}

const receive: Command<App> = {
  name: 'teleport receive',
  summary: 'take over a session that was sent here',
  notes: 'It is verified first; then what lies here is compared with what the session knows of files and branch.',
  examples: [
    'teleport receive auth.steadfold',
    'teleport receive build-auth --remote origin',
    'teleport receive auth.steadfold --from laptop --root ~/src/auth',
  ],
  parameters: [{ ...FILE, summary: 'the bundle; with --remote the session: name or id, here or there' }],
  flags: [
    ...OPENS,
    {
      name: 'root',
      field: 'root',
      type: 'text',
      value: 'DIR',
      summary: 'the project here; this workspace when left out',
    },
    REMOTE,
    { name: 'key', field: 'key', type: 'text', value: 'NAME', summary: 'with --remote: that signs what is told there' },
    AS,
  ],
  shares: [],
  run: async (context, input) => {
    const root = rootOf(context, input)
    const remote = textOf(input, 'remote')
    if (remote !== undefined) {
      assertNone(input, OPENS)
      const how = { key: textOf(input, 'key'), root, actor: context.actor }
      return arrived(context, await (await placesOf(context)).receive(remote, needed(input, 'file'), how))
    }
    const vault = await context.app.vault(context.dir)
    const wishes = { ...openWishes(context, input), root, actor: context.actor }
    return arrived(context, await vault.receive(await context.workspace(), fileOf(context, input), context.dir, wishes))
  },
}

/** Asked before anything is taken: the paths of the session will be below it. */
function rootOf(context: Context<App>, input: Input): string | undefined {
  const given = textOf(input, 'root')
  if (given === undefined) return undefined
  const root = path.resolve(context.cwd, given)
  if (fs.existsSync(root) && fs.statSync(root).isDirectory()) return root
  throw new EngineError('FILE_NOT_FOUND', `there is no folder ${root}`, {
    hint: `bring the project there, or: mkdir -p ${quoted(root)}`,
  })
}

/** Of a file only: who may open what lies at a place, and who may have put it there, is said when the place is named. */
function assertNone(input: Input, flags: readonly Flag[]): void {
  const given = flags.find(({ field }) => input[field] !== undefined && input[field] !== false)
  if (given === undefined) return
  throw usage(`--${given.name} goes with a file, not with --remote`, 'leave one of them out; steadfold teleport --help')
}

async function sentOver(context: Context<App>, input: Input, session: Session): Promise<Result> {
  const remote = textOf(input, 'remote')
  const how = { key: textOf(input, 'key'), to: textOf(input, 'to'), actor: context.actor }
  const sent = await (await placesOf(context)).send(remote, session, how)
  const next = `steadfold teleport receive ${session.id} --remote ${remote ?? 'NAME'}`
  return {
    data: { session: { id: session.id, name: nameOf(session) }, remote, ...sent },
    text: () =>
      `${plain(nameOf(session))} has departed, ${count(sent.seq, 'commit')}\n${context.paint.dim(`next, over there: ${next}`)}`,
  }
}

export const placesOf = async (context: Context<App>): Promise<Places> =>
  (await context.app.vault(context.dir)).places(await context.workspace(), context.dir)

async function arrived(context: Context<App>, { session, ...arrival }: Arrival) {
  const { id, seq } = session
  const name = nameOf(session)
  const { store } = (await context.workspace()).kernel
  const where = arrival.root === context.dir ? '' : ` --dir ${quoted(store?.shown ?? context.dir)}`
  const [first = '', ...more] = (await waysOn(session, await tellNamesake(context, session))).map((way) =>
    way.startsWith('steadfold ') ? `cd ${quoted(arrival.root)} && ${way}${where}` : way,
  )
  const { root, epoch, added, from, differences, git, carried } = arrival
  const data = {
    session: { id, name, seq },
    epoch,
    added,
    from,
    root,
    differences,
    git,
    carried,
    next: first,
    or: more,
  }
  return { data, text: () => arrivedText(context, name, arrival, [first, ...more]) }
}

function arrivedText(context: Context, name: string, arrival: Outcome, ways: readonly string[]): string {
  const { paint } = context
  const { epoch, added, from, differences, git, carried } = arrival
  const branch =
    git.there === null || (git.there.branch === git.here?.branch && git.there.commit === git.here.commit)
      ? []
      : [`${paint.yellow('git')}  there ${gitText(git.there)}, here ${gitText(git.here)}`]
  return [
    `${plain(name)} is here now: ${count(added, 'new commit')} from ${plain(from.device)}, epoch ${epoch}`,
    ...branch,
    ...differences.map(({ path: file, what }) => `${paint.yellow(what)}  ${plain(file)}`),
    ...carriedText(context, carried),
    ...ways.map((way, at) => paint.dim(`${at === 0 ? 'next' : '  or'}: ${way}`)),
  ].join('\n')
}

type Outcome = Omit<Arrival, 'session'>

const gitText = (git: { readonly branch: string | null; readonly commit: string | null } | null): string =>
  git === null ? 'no repository' : `${git.branch ?? 'no branch'} ${git.commit?.slice(0, 12) ?? ''}`.trim()

const cancel: Command<App> = {
  name: 'teleport cancel',
  summary: 'take back a session that was sent and never received',
  notes: 'Delete the bundle: if somebody receives it after all, two machines go on apart.',
  examples: ['teleport cancel build-auth'],
  parameters: [SESSION],
  flags: [AS],
  shares: ['session'],
  run: async (context, input) => {
    const session = await context.session('remove', textOf(input, 'named'))
    const departed = session.get('$.session.transport.departed') ?? null
    const epoch = await (await placesOf(context)).cancel(session, context.actor)
    const name = plain(nameOf(session))
    return {
      data: { session: { id: session.id, name: nameOf(session) }, epoch },
      text:
        departed === null
          ? `nothing to do: ${name} has not departed`
          : `${name} is here again, epoch ${epoch}; delete what was sent`,
    }
  },
}

export const teleportCommands: readonly Command<App>[] = [send, receive, cancel]
