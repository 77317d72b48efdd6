/** The daemon of a workspace: start it, find it, open its pages, end it. */
import { spawn } from 'node:child_process'
import * as path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { EngineError } from '../../../kernel/error.ts'
import { personIn } from '../context/actor.ts'
import type { App, DaemonFound, ServedHere } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { isOn, numberOf, textOf, usage, type Input } from '../context/input.ts'
import { EXIT_UNAVAILABLE, type Result } from '../context/result.ts'
import { FOLDER } from '../context/scope.ts'
import type { Command, Flag } from '../syntax/command.ts'
import { fileOf, OPENS, openWishes } from './bundle.ts'

const STOP_MS = 10_000
const LOOK_MS = 25

export const PORT: Flag = {
  name: 'port',
  field: 'port',
  type: 'number',
  value: 'N',
  summary: 'listen there; on one that is free when left out',
}

const serve: Command<App> = {
  name: 'serve',
  summary: 'serve this workspace to pages and programs of this machine',
  examples: ['serve', 'serve --port 4517', 'serve --status', 'serve --stop'],
  notes:
    'One process a workspace, found again by .steadfold/daemon.json, which holds its token. All other commands work as before.',
  parameters: [],
  flags: [
    PORT,
    { name: 'status', field: 'status', type: 'boolean', summary: 'say whether one runs; exit 8 when not' },
    { name: 'stop', field: 'stop', type: 'boolean', summary: 'end the one that runs' },
  ],
  shares: [],
  streams: true,
  run: async (context, input) => {
    const [status, stops] = [isOn(input, 'status'), isOn(input, 'stop')]
    if (status && stops) throw usage('--status and --stop are two things', 'give one of them')
    if (status) return statusOf(await found(context))
    if (stops) return stop(context, await found(context))
    return served(context, await started(context, numberOf(input, 'port')))
  },
}

const ui: Command<App> = {
  name: 'ui',
  summary: 'open the web pages by a link that works once',
  examples: ['ui', 'ui --no-open --port 4517', 'ui --file auth.steadfold'],
  notes:
    'Serves the workspace when nothing does yet. The link is printed, and opened where there is a person at the terminal. It holds for ten minutes. What is shown from a file is only read: a bundle, a folder with sessions, or a log.',
  parameters: [],
  flags: [
    PORT,
    { name: 'file', field: 'file', type: 'text', value: 'FILE', summary: 'look at what lies in a file, offline' },
    ...OPENS.filter(({ name }) => name !== 'max-bytes'),
    { name: 'no-open', field: 'noOpen', type: 'boolean', summary: 'print the link only' },
  ],
  shares: [],
  streams: true,
  run: async (context, input) => {
    const file = textOf(input, 'file')
    const running = file === undefined ? await found(context) : undefined
    if (running?.verdict.kind === 'alive') {
      const url = await freshLink(running)
      if (!isOn(input, 'noOpen')) open(context, url)
      return { data: { url }, text: url }
    }
    const port = numberOf(input, 'port')
    const daemon = file === undefined ? await started(context, port) : await looking(context, input, port)
    const url = daemon.link()
    context.event({ type: 'link', url })
    if (!context.json) context.io.out(`${url}\n`)
    if (!isOn(input, 'noOpen')) open(context, url)
    return served(context, daemon)
  },
}

export const serveCommands: readonly Command<App>[] = [serve, ui]

export const found = ({ app, dir }: Context<App>): Promise<DaemonFound | undefined> =>
  app.daemon.find(path.join(dir, FOLDER))

export async function started(context: Context<App>, port: number | undefined): Promise<ServedHere> {
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535))
    throw usage(`--port takes 0 to 65535, not ${port}`)
  // The pages are for people, also where an agent starts them.
  const actor = context.askedActor ?? personIn(context.env)
  const daemon = await context.app.daemon.serve(await context.workspace(), { port, actor })
  context.event({ type: 'started', url: daemon.url, pid: process.pid })
  context.note(`serving ${daemon.url} (pid ${process.pid}); Ctrl-C ends it`)
  return daemon
}

async function looking(context: Context<App>, input: Input, port: number | undefined): Promise<ServedHere> {
  const daemon = await context.app.daemon.serveFile(fileOf(context, input), openWishes(context, input), { port })
  context.event({ type: 'started', url: daemon.url, pid: process.pid })
  context.note(`showing ${fileOf(context, input)} at ${daemon.url}; Ctrl-C ends it`)
  return daemon
}

/** Until it ends, or is ended. */
export async function served(context: Context<App>, daemon: ServedHere): Promise<Result> {
  const close = () => void daemon.close()
  context.signal.addEventListener('abort', close)
  if (context.isStopped) close()
  const reason = await daemon.ended
  return { data: { url: daemon.url, reason: context.isStopped ? 'it was stopped' : reason }, text: '' }
}

function statusOf(daemon: DaemonFound | undefined): Result {
  if (daemon === undefined || daemon.verdict.kind === 'dead')
    return { data: { running: false }, text: 'no daemon runs; steadfold serve starts one', exit: EXIT_UNAVAILABLE }
  const { url, version, started_at, process: of } = daemon.record
  const sure = daemon.verdict.kind === 'alive'
  return {
    data: { running: sure ? true : null, url, pid: of.pid, host: of.host, version, started_at },
    text: sure
      ? `${url}  pid ${of.pid}  since ${started_at}`
      : `${url} on ${of.host}: ${daemon.verdict.reasons.join('; ')}`,
  }
}

async function stop(context: Context<App>, daemon: DaemonFound | undefined): Promise<Result> {
  if (daemon === undefined || daemon.verdict.kind === 'dead')
    return { data: { stopped: false }, text: 'nothing to do: no daemon runs' }
  const { pid, host } = daemon.record.process
  if (daemon.verdict.kind === 'unknown')
    throw new EngineError('DAEMON_RUNNING', `it may run on ${host}: ${daemon.verdict.reasons.join('; ')}`, {
      hint: 'end it there, or remove .steadfold/daemon.json when it is gone',
    })
  process.kill(pid, 'SIGTERM')
  const until = performance.now() + STOP_MS
  while (performance.now() < until) {
    const now = await found(context)
    if (now?.record.process.pid !== pid || now.verdict.kind === 'dead')
      return { data: { stopped: true, pid }, text: `stopped pid ${pid}` }
    await sleep(LOOK_MS)
  }
  throw new EngineError('WAIT_TIMEOUT', `pid ${pid} was asked to end and still runs`, { hint: `kill -9 ${pid}` })
}

async function freshLink({ record: { url, token } }: DaemonFound): Promise<string> {
  try {
    const answer = await fetch(`${url}/v1/links`, { method: 'POST', headers: { Authorization: `Bearer ${token}` } })
    const { data } = (await answer.json()) as { readonly data: { readonly url: string } }
    return data.url
  } catch (cause) {
    throw new EngineError('DAEMON_NOT_RUNNING', `the daemon at ${url} does not answer`, {
      hint: 'steadfold serve --stop, then steadfold ui',
      cause,
    })
  }
}

const AGENTS = ['CI', 'CLAUDECODE', 'CODEX_SANDBOX', 'GEMINI_CLI', 'SSH_CONNECTION']

/** Only for a person who sits there; failing is fine, for the link is printed. */
function open({ io, env, json }: Context<App>, url: string): void {
  if (json || !io.isTerminal('out') || AGENTS.some((name) => (env[name] ?? '') !== '')) return
  const program = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open'
  const child = spawn(program, [url], { stdio: 'ignore', detached: true })
  child.on('error', () => undefined)
  child.unref()
}
