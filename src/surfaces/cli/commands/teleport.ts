/** Moves a session: afterwards it is worked on over there, and only read here. */
import * as path from 'node:path'
import type { App } from '../app.ts'
import type { Command, Parameter } from '../command.ts'
import type { Context } from '../context.ts'
import { AS } from '../flags.ts'
import { textOf } from '../input.ts'
import { nameOf, quoted } from '../scope.ts'
import { count, plain } from '../text.ts'
import type { Arrival } from '../vault.ts'
import { FILE, fileOf, OPENS, openWishes, packedData, packedText, packWishes, SEALS } from './bundle.ts'

const SESSION: Parameter = {
  name: 'SESSION',
  field: 'named',
  type: 'text',
  required: false,
  summary: 'the only active one when left out',
}

const send: Command<App> = {
  name: 'teleport send',
  summary: 'send a session to another machine: it takes no writes here until it comes back',
  notes: 'Killed in between, the same line again goes on. One recipient: two could both take it over.',
  examples: ['teleport send --recipient desk', 'teleport send build-auth -r age1… --patch --to "the desk"'],
  parameters: [SESSION],
  flags: [
    ...SEALS,
    { name: 'to', field: 'to', type: 'text', value: 'TEXT', summary: 'whom it is for, told in the log' },
    AS,
  ],
  shares: ['session'],
  run: async (context, input) => {
    const session = await context.session('remove', textOf(input, 'named'))
    const wishes = { ...packWishes(context, input, nameOf(session)), to: textOf(input, 'to'), actor: context.actor }
    const vault = await context.app.vault(context.dir)
    const packed = await vault.send(await context.workspace(), session, context.dir, wishes)
    return {
      data: packedData(packed, wishes.file),
      text: () => {
        const next = `steadfold teleport receive ${quoted(path.basename(wishes.file))}`
        const back = `steadfold teleport cancel ${quoted(nameOf(session))}`
        return `${wishes.file}  ${packedText(packed)}\n${context.paint.dim(`next, over there: ${next}\nif it is never received: ${back}`)}`
      },
    }
  },
}

const receive: Command<App> = {
  name: 'teleport receive',
  summary: 'take over a session that was sent here',
  notes: 'It is verified first; then what lies here is compared with what the session knows of files and branch.',
  examples: ['teleport receive auth.steadfold', 'teleport receive auth.steadfold --from laptop --root ~/src/auth'],
  parameters: [FILE],
  flags: [
    ...OPENS,
    {
      name: 'root',
      field: 'root',
      type: 'text',
      value: 'DIR',
      summary: 'the project here; this workspace when left out',
    },
    AS,
  ],
  shares: [],
  run: async (context, input) => {
    const given = textOf(input, 'root')
    const root = given === undefined ? undefined : path.resolve(context.cwd, given)
    const vault = await context.app.vault(context.dir)
    const wishes = { ...openWishes(input), root, actor: context.actor }
    return arrived(context, await vault.receive(await context.workspace(), fileOf(context, input), context.dir, wishes))
  },
}

export function arrived(context: Context, { session, ...arrival }: Arrival) {
  const { id, seq } = session
  const name = nameOf(session)
  const next = `cd ${quoted(arrival.root)} && steadfold status --session ${quoted(name)} --dir ${quoted(context.dir)}`
  const { root, epoch, added, from, differences, git, carried } = arrival
  const data = { session: { id, name, seq }, epoch, added, from, root, differences, git, carried, next }
  return { data, text: () => arrivedText(context, name, arrival, next) }
}

function arrivedText({ paint }: Context, name: string, arrival: Outcome, next: string): string {
  const { epoch, added, from, differences, git, carried } = arrival
  const branch =
    git.there === null || (git.there.branch === git.here?.branch && git.there.commit === git.here.commit)
      ? []
      : [`${paint.yellow('git')}  there ${gitText(git.there)}, here ${gitText(git.here)}`]
  return [
    `${plain(name)} is here now: ${count(added, 'new commit')} from ${plain(from.device)}, epoch ${epoch}`,
    ...branch,
    ...differences.map(({ path: file, what }) => `${paint.yellow(what)}  ${plain(file)}`),
    ...carried.map((file) => `${paint.dim('came along')}  ${plain(file)}`),
    paint.dim(`next: ${next}`),
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
    const epoch = await (await context.app.vault(context.dir)).cancel(session, context.actor)
    return {
      data: { session: { id: session.id, name: nameOf(session) }, epoch },
      text: `${plain(nameOf(session))} is here again, epoch ${epoch}; delete what was sent`,
    }
  },
}

export const teleportCommands: readonly Command<App>[] = [send, receive, cancel]
