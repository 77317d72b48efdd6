/* What a user does with the built program, in order, and what it answered; ids, hashes and times are taken out. */
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { createInterface } from 'node:readline'
import { Place, PROGRAM, plainEnv, type Done } from '../cli/binary.ts'

const WORKFLOW = `name: two
states:
  work:
    steps:
      one: { run: 'echo "x=1" >> "$STEADFOLD_OUTPUT"; echo one >> effects' }
      two: { run: 'echo "y=2$X" >> "$STEADFOLD_OUTPUT"; echo two >> effects', needs: [one], reads: { X: one.x } }
  complete: {}
`

/** In a folder of its own, with the workspace in it or, where there is an address, there. */
export class User {
  readonly place = new Place({ init: false })
  readonly #flags: readonly string[]
  readonly #env: Readonly<Record<string, string>>

  constructor(url: string, by: 'flag' | 'config.json') {
    const { dir } = this.place
    this.#env = { XDG_STATE_HOME: path.join(dir, 'state-home'), XDG_CONFIG_HOME: path.join(dir, 'config-home') }
    this.#flags = by === 'flag' ? ['--dir', url === '' ? dir : url] : []
    if (by === 'flag') return
    fs.mkdirSync(path.join(dir, '.steadfold'), { mode: 0o700 })
    this.place.file('.steadfold/config.json', JSON.stringify({ store: url }))
  }

  /** Words after `--` are another program's. */
  run(words: readonly string[], input = '', env: Readonly<Record<string, string>> = {}): Done {
    return this.place.runWith({ env: { ...this.#env, ...env }, input }, ...this.#all(words))
  }

  copyTo(dir: string): Done {
    const from = this.#flags[1] ?? this.place.dir
    return this.place.runWith({ env: this.#env }, 'workspace', 'copy', from, dir, '--json')
  }

  start(...words: readonly string[]): ChildProcess {
    return spawn(process.execPath, [PROGRAM, ...this.#all(words)], { cwd: this.place.dir, env: plainEnv(this.#env) })
  }

  get token(): string {
    const found = fs.readdirSync(this.place.dir, { recursive: true, encoding: 'utf8' })
    const file = found.find((name) => path.basename(name) === 'daemon.json') ?? ''
    const record: unknown = JSON.parse(fs.readFileSync(path.join(this.place.dir, file), 'utf8'))
    return typeof record === 'object' && record !== null && 'token' in record ? String(record.token) : ''
  }

  remove(): void {
    this.place.remove()
  }

  #all(words: readonly string[]): readonly string[] {
    if (words.includes('--dir')) return words
    const cut = words.includes('--') ? words.indexOf('--') : words.length
    return [...words.slice(0, cut), ...this.#flags, ...words.slice(cut)]
  }
}

export interface Told {
  readonly status: number | null
  readonly out: string
}

/** What must be the same wherever it is kept. */
const plain = ({ status, out, err }: Done): Told => ({
  status,
  out: `${out}${status === 0 ? '' : err}`
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\b[0-9a-f]{64}\b/g, '<hash>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/"([a-z]+_ms|bytes|state_bytes|pid|started)":"?[\d.]+"?/g, '"$1":0')
    .replaceAll(/for \d+ s more/g, 'for a while')
    .replaceAll(/ --dir (?:'[^']*'|[^\s"]+)/g, '')
    .replaceAll(/\/[^\s"]*\/cli-\w+/g, '<dir>')
    .replaceAll(/\d{5,}/g, '<n>'),
})

const DAILY = [
  'init --json',
  'session create build --goal try --json',
  'session exists build --json',
  'state set data.topic auth --json',
  'state set data.topic other --if-seq 1 --json',
  'state set data.more {"deep":[1,2]} --json',
  'state get data --json',
  'state query $..deep --json',
  'state get data.absent --json',
  'task add one --json',
  'task add two --needs task-1 --json',
  'agent register w1 worker --ttl-ms 3600000 --as agent:w1 --json',
  'task claim task-1 --as agent:w1 --json',
  'task list --json',
  'message send hello --to w1 --as agent:lead --json',
  'message list --json',
  'lock acquire file --ttl 1h --as agent:w1 --json',
  'lock acquire file --as agent:w2 --json',
  'lock list --json',
  'session mark draft --json',
  'once paid --json -- sh -c [echo paid >> effects; echo done]',
  'once paid --json -- sh -c [echo paid >> effects; echo done]',
  'state set data.topic later --json',
  'session fork build@draft apart --json',
  'session restore draft --session build --json',
  'state get data.topic --session build --json',
  'state get data.topic --session build --at 2 --json',
  'log --session build --json',
  'diff draft @ --session build --json',
  'blame data.topic --session build --json',
  'session rename auth --session build --json',
  'session rename apart --session auth --json',
  'run two.yaml --json',
  'run two.yaml --json',
  'output list --session two --json',
  'step list --session two --json',
  'sql --json [select session, op, count(*) as n from commits group by 1, 2 order by 1, 2]',
  'session list --json',
  'verify --json',
  'inbox --json',
  'status --json',
]

const ARCHIVE = [
  'session end apart --json',
  'session archive apart --json',
  'session list --archived --json',
  'session show apart --archived --json',
  'sql --archived --json [select name, seq from sessions]',
  'verify --archived --json',
  'session restore apart --archived --json',
  'gc --archive-after 1s --json',
]

/** The words of a line; what stands in brackets is one. */
const wordsOf = (line: string): readonly string[] =>
  [...line.matchAll(/\[([^\]]+)\]$|\S+/g)].map(([all, inner]) => inner ?? all)

export async function allOf(user: User, running: ChildProcess[]) {
  user.place.file('two.yaml', WORKFLOW)
  const daily = DAILY.map((line) => [line, told(user, line)] as const)
  const moved = moves(user)
  const served = await serves(user, running)
  const agents = speaks(user)
  const effects = fs.readFileSync(path.join(user.place.dir, 'effects'), 'utf8')
  const archive = ARCHIVE.map((line) => [line, told(user, line)] as const)
  return { daily, moved, served, agents, effects, archive }
}

/** What these say is of the place or of the moment. */
const OF_PLACE = /^(init|verify|status|inbox|session list|session show|session archive|gc)\b/

function told(user: User, line: string): Told {
  const answer = plain(user.run(wordsOf(line)))
  return OF_PLACE.test(line) && answer.status === 0 ? { ...answer, out: '' } : answer
}

/** A bundle, and the whole workspace to a folder, twice; both are read there. */
function moves(user: User): readonly Told[] {
  const [copy, fresh] = ['copy', 'fresh'].map((name) => path.join(user.place.dir, name))
  const elsewhere = (dir = '', ...words: readonly string[]) => user.place.run(...words, '--dir', dir, '--json')
  fs.mkdirSync(fresh ?? '')
  const steps = [
    user.run(['key', 'create', 'me']),
    user.run(['bundle', 'pack', 'auth', '--recipient', 'me', '--out', 'auth.bundle']),
    user.run(['bundle', 'verify', 'auth.bundle']),
    user.place.run('init', '--dir', fresh ?? ''),
    user.run(['bundle', 'unpack', 'auth.bundle', '--dir', fresh ?? '']),
    user.copyTo(copy ?? ''),
    user.copyTo(copy ?? ''),
  ].map(({ status, err }) => ({ status, out: status === 0 ? '' : err }))
  const there = [fresh, copy].map((dir) => elsewhere(dir, 'state', 'get', 'data', '--session', 'auth'))
  return [...steps, plain(elsewhere(copy, 'verify')), ...there.map(plain)]
}

/** The daemon: an operation, the state, and the pages. */
async function serves(user: User, running: ChildProcess[]) {
  const child = user.start('serve', '--json')
  running.push(child)
  let url = ''
  for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
    url = /"url":"([^"]+)"/.exec(line)?.[1] ?? ''
    if (url !== '') break
  }
  const headers = { Authorization: `Bearer ${user.token}`, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ path: 'data.http', value: 1 })
  const written = await fetch(`${url}/v1/sessions/auth/state.set`, { method: 'POST', headers, body })
  const read = await fetch(`${url}/v1/sessions/auth/state?path=data.http`, { headers })
  const page = await fetch(`${url}/`)
  const text = await page.text()
  const script = /src="([^"]+\.js)"/.exec(text)?.[1] ?? ''
  const loaded = await fetch(new URL(script, url))
  const answers = [written, page, loaded].map(({ status }) => status)
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  return { answers, value: await read.text(), status: await ended }
}

/** One tool of MCP on a pipe. */
function speaks(user: User): Told {
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'pipe', version: '1' } }
  const messages = [
    { id: 1, method: 'initialize', params: hello },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name: 'task_add', arguments: { title: 'by mcp' } } },
  ]
  const input = messages.map((each) => `${JSON.stringify({ jsonrpc: '2.0', ...each })}\n`).join('')
  const { out, ...rest } = user.run(['mcp', '--session', 'auth'], input)
  return plain({ ...rest, out: out.split('\n').find((line) => line.includes('"id":2')) ?? '' })
}
