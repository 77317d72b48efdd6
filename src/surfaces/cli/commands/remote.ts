/** Places that two machines reach: what is new goes there and comes from there. */
import { EngineError, exitStatus } from '../../../kernel/error.ts'
import { shownUrl } from '../../../kernel/text/shown-url.ts'
import { tellNamesake } from '../answer/namesake.ts'
import type { App } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { isOn, listOf, needed, textOf, usage } from '../context/input.ts'
import { EXIT_PARTIAL } from '../context/result.ts'
import { nameOf } from '../context/scope.ts'
import type { Places, Remote, Standing } from '../context/vault.ts'
import { columns, count, plain } from '../show/text.ts'
import type { Command, Flag, Parameter } from '../syntax/command.ts'
import { placesOf } from './teleport.ts'

const NAME: Parameter = { name: 'NAME', field: 'name', type: 'text', required: true, summary: 'what it is called here' }
const REMOTE: Flag = {
  name: 'remote',
  field: 'remote',
  type: 'text',
  value: 'NAME',
  summary: 'the place; the only one when left out',
}

const add: Command<App> = {
  name: 'remote add',
  summary: 'name a place that two machines reach: a folder, S3, or git',
  notes:
    'Increments are sealed for --recipient and your own key. git:URL keeps them under refs/steadfold/, outside of branches. S3 takes its keys from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
  examples: [
    'remote add origin ~/Sync/steadfold --recipient desk',
    'remote add origin git:git@example.org:me/app.git --recipient desk',
    'remote add bucket "s3://team/steadfold?endpoint=https://s3.example.org" --recipient desk',
  ],
  parameters: [
    NAME,
    { name: 'URL', field: 'url', type: 'text', required: true, summary: 'a path, git:URL, or s3://…' },
  ],
  flags: [
    {
      name: 'recipient',
      short: 'r',
      field: 'recipients',
      type: 'text',
      value: 'WHO',
      repeat: true,
      summary: 'who may read what is there: age1…, or a name from key list',
    },
    { name: 'open', field: 'open', type: 'boolean', summary: 'seal nothing: whoever reads the place reads it all' },
  ],
  shares: [],
  run: async (context, input) => {
    const recipients = listOf(input, 'recipients')
    const open = isOn(input, 'open')
    if (open === recipients.length > 0)
      throw usage('who may read it? --recipient WHO, or --open for everybody', 'steadfold remote add --help')
    const added = (await placesOf(context)).add(needed(input, 'name'), needed(input, 'url'), open ? null : recipients)
    return { data: shown(added), text: `${added.name} is ${plain(shown(added).url)}` }
  },
}

const list: Command<App> = {
  name: 'remote list',
  summary: 'places that have a name here',
  examples: ['remote list', 'remote list --json'],
  parameters: [],
  flags: [],
  shares: [],
  run: async (context) => {
    const remotes = (await placesOf(context)).remotes.list().map(shown)
    return {
      data: remotes,
      text: () =>
        remotes.length === 0 ? 'no places; steadfold remote add NAME URL --recipient WHO' : listText(context, remotes),
    }
  },
}

const shown = (remote: Remote): Remote => ({ ...remote, url: shownUrl(remote.url) })

const listText = ({ io }: Context, remotes: readonly Remote[]): string =>
  columns(
    remotes.map(({ name, url, recipients }) => [
      name,
      plain(url),
      recipients === null ? 'open' : count(recipients.length, 'recipient'),
    ]),
    { width: io.width },
  ).join('\n')

const remove: Command<App> = {
  name: 'remote remove',
  summary: 'forget a place; what is there stays there',
  examples: ['remote remove origin'],
  parameters: [NAME],
  flags: [],
  shares: [],
  run: async (context, input) => {
    const removed = (await placesOf(context)).remotes.remove(needed(input, 'name'))
    return { data: shown(removed), text: `${removed.name} is forgotten` }
  },
}

const show: Command<App> = {
  name: 'remote show',
  summary: 'what is at a place, and how the sessions here stand against it',
  examples: ['remote show', 'remote show --remote origin --json'],
  parameters: [],
  flags: [REMOTE],
  shares: [],
  run: async (context, input) => {
    const remote = textOf(input, 'remote')
    const places = await placesOf(context)
    const here = new Map<string, string>()
    const workspace = await context.workspace()
    for await (const session of workspace.sessions()) {
      here.set(session.id, nameOf(session))
      await session.close()
    }
    const sessions: There[] = []
    for (const id of await places.there(remote))
      sessions.push({ id, name: here.get(id) ?? null, ...(await standingOf(places, remote, id)) })
    const { name, url } = shown(places.remotes.get(remote))
    return {
      data: { name, url, sessions },
      text: () => (sessions.length === 0 ? `nothing is at ${plain(url)} yet` : thereText(context, sessions)),
      ...(sessions.some(({ error }) => error !== undefined) ? { exit: EXIT_PARTIAL } : {}),
    }
  },
}

type Stands = Standing & {
  readonly last_sync: string | null
  readonly error?: { readonly code: string; readonly message: string; readonly hint: string | null }
}
type There = Stands & { readonly id: string; readonly name: string | null }

/** What is wrong with one session there, or with ours, hides no other; a place that is away is away for all. */
async function standingOf(places: Places, remote: string | undefined, id: string): Promise<Stands> {
  try {
    return await places.status(remote, id)
  } catch (error) {
    if (!(error instanceof EngineError) || !OF_ONE.has(exitStatus(error.code))) throw error
    const { code, message, hint = null } = error
    return { standing: 'unknown', ahead: 0, behind: 0, last_sync: null, error: { code, message, hint } }
  }
}

/** Refused by a rule, as what is sealed for others, and damaged. */
const OF_ONE: ReadonlySet<number> = new Set([4, 9])

function thereText(context: Context, sessions: readonly There[]): string {
  const rows = sessions.map((each) => [
    plain(each.name ?? '(not here)'),
    // Who began to push it was killed before its first increment.
    each.name === null && each.standing === 'up to date'
      ? 'nothing there yet'
      : (each.error?.code ?? standingText(each)),
    each.error === undefined ? (each.last_sync ?? 'never') : '',
    each.id,
  ])
  const why = sessions.flatMap(({ id, name, error }) =>
    error === undefined
      ? []
      : [
          `${plain(name ?? id)}: ${plain(error.message)}`,
          ...(error.hint === null ? [] : [context.paint.dim(`next: ${plain(context.kept(error.hint))}`)]),
        ],
  )
  return [...columns(rows, { width: Math.max(context.io.width, 160) }), ...why].join('\n')
}

const standingText = ({ standing, ahead, behind }: Standing): string =>
  standing === 'ahead'
    ? `ahead by ${ahead}`
    : standing === 'behind'
      ? `behind by ${behind}`
      : standing === 'diverged'
        ? `diverged: ahead by ${ahead}, behind by ${behind}`
        : standing

const push: Command<App> = {
  name: 'push',
  summary: 'send what is new of a session to a place',
  examples: ['push', 'push build-auth --remote origin'],
  parameters: [
    { name: 'SESSION', field: 'named', type: 'text', required: false, summary: 'the only active one when left out' },
  ],
  flags: [
    REMOTE,
    { name: 'key', field: 'key', type: 'text', value: 'NAME', summary: 'that signs it; the only one when left out' },
  ],
  shares: ['session'],
  run: async (context, input) => {
    const session = await context.session('write', textOf(input, 'named'))
    const done = await (await placesOf(context)).push(textOf(input, 'remote'), session, textOf(input, 'key'))
    return {
      data: { session: { id: session.id, name: nameOf(session) }, ...done },
      text: done.moved === 0 ? 'everything is there already' : `${count(done.moved, 'commit')} sent, up to ${done.seq}`,
    }
  },
}

const pull: Command<App> = {
  name: 'pull',
  summary: 'take what is new of a session from a place',
  notes:
    'Nothing is merged. Where both went on apart, fork what is here to keep it, then --theirs sets it aside and takes what is there.',
  examples: [
    'pull build-auth',
    'pull 01a2005f --remote origin',
    'session fork build-auth mine && steadfold pull build-auth --theirs',
  ],
  parameters: [
    {
      name: 'SESSION',
      field: 'named',
      type: 'text',
      required: true,
      summary: 'name or id, here or there',
    },
  ],
  flags: [
    REMOTE,
    {
      name: 'theirs',
      field: 'theirs',
      type: 'boolean',
      summary: 'where both went on apart: set aside what went on here',
    },
  ],
  shares: [],
  run: async (context, input) => {
    const places = await placesOf(context)
    const force = isOn(input, 'theirs') ? 'theirs' : undefined
    const done = await places.pull(textOf(input, 'remote'), needed(input, 'named'), force)
    await tellNamesake(context, done)
    return {
      data: done,
      text:
        done.moved === 0
          ? `nothing is new there; ${standingText(done)}`
          : `${count(done.moved, 'commit')} taken, up to ${done.seq}`,
    }
  },
}

export const remoteCommands: readonly Command<App>[] = [push, pull, add, list, show, remove]
