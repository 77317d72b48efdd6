/* --json on every command of the table: one object with schema and data, or lines that end in a result. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Place } from './binary.ts'

let place: Place
beforeAll(() => {
  place = new Place()
  place.file(
    'one.workflow.yaml',
    'name: one\nstates:\n  work:\n    steps:\n      a: { run: "echo x=1 >> $STEADFOLD_OUTPUT" }\n      b: { run: "true", needs: a }\n',
  )
  place.file('checkpoint.json', '{"version":"2.0","current_phase":1}')
  place.file('values.txt', 'a=1\nb<<END\ntwo\nlines\nEND\n')
  for (const name of ['main', 'spare', 'gone']) place.run('session', 'create', name)
  place.run('session', 'end', 'gone')
})
afterAll(() => place.remove())

/** In this order: what one makes the next ones look at. `step park` and its like need a step. */
const LINES: Readonly<Record<string, string>> = {
  init: 'init',
  version: 'version',
  help: 'help state set',
  doctor: 'doctor',
  'workspace copy': 'workspace copy . copied',
  schema: 'schema state.set',
  completion: 'completion bash',
  complete: 'complete -- state g',
  'session create': 'session create more --goal "to be counted"',
  'session list': 'session list',
  'session show': 'session show main',
  'session exists': 'session exists main',
  'session rename': 'session rename more less',
  'session mark': 'session mark here',
  'session unmark': 'session unmark here',
  'session suspend': 'session suspend less',
  'session resume': 'session resume less',
  'session fork': 'session fork main@1 copy',
  'session end': 'session end copy',
  'session archive': 'session archive gone',
  'session acquire': 'session acquire --as agent:a --ttl-ms 1',
  'state set': 'state set data.topic auth',
  'state get': 'state get data.topic',
  'state patch': 'state patch [{"op":"add","path":"/data/items","value":[1]}]',
  'state query': 'state query $..topic --paths',
  'state bulk': 'state bulk data.topic data.items',
  'state test': 'state test data.topic',
  'state history': 'state history data.topic',
  'state delete': 'state delete data.topic',
  'session restore': 'session restore @-1',
  'session tidy': 'session tidy --session main',
  'output set': 'output set k v',
  'output get': 'output get k',
  'output import': 'output import values.txt --prefix x.',
  'output list': 'output list',
  'output export': 'output export',
  'workflow define': 'workflow define one.workflow.yaml',
  'workflow show': 'workflow show',
  'workflow next': 'workflow next',
  'workflow list': 'workflow list',
  'workflow validate': 'workflow validate one.workflow.yaml',
  'workflow graph': 'workflow graph mermaid',
  'workflow detect-scope': 'workflow detect-scope research',
  'workflow resume-check': 'workflow resume-check',
  run: 'run one.workflow.yaml --session main',
  'workflow complete': 'workflow complete',
  'workflow export': 'workflow export',
  'workflow restart': 'workflow restart',
  'workflow transition': 'workflow transition work',
  'workflow import': 'workflow import checkpoint.json --session spare',
  once: 'once key -- echo paid',
  'step list': 'step list',
  'step show': 'step show a',
  status: 'status',
  inbox: 'inbox',
  health: 'health',
  log: 'log -n 5',
  diff: 'diff 1',
  show: 'show @',
  blame: 'blame outputs.k',
  sql: 'sql "select name from sessions"',
  stats: 'stats',
  wait: 'wait --seq 1',
  watch: 'watch --once',
  serve: 'serve --stop',
  verify: 'verify',
  repair: 'repair main',
  recover: 'recover --dry-run',
  gc: 'gc',
  shell: 'shell',
  'redact rules': 'redact rules',
  'redact test': 'redact test values.txt',
  'remote list': 'remote list',
  'key list': 'key list',
}

/** Nouns of modules.test.ts, and of tests of their own. */
const MODULES =
  /^(agent|pool|team|project|budget|task|dependency|epic|sprint|lock|message|handoff|consent|chat|supervise|turn|channel|bundle|teleport|activity|runner) /

/** Only refused here, or covered by a test of its own. */
const ELSEWHERE = [
  'mcp',
  'tail',
  'ui',
  'demo',
  'session renew',
  'session release',
  'session recover',
  'session repair',
  'session activate',
  'session tick',
  'session terminate',
  'session extend',
  'session configure',
  'workflow fail',
  'workflow retry',
  'step park',
  'step release',
  'step retry',
  'step start',
  'step adopt',
  'step finish',
  'step fail',
  'step reuse',
  'step gate',
  'session export',
  'session share',
  'import',
  'push',
  'pull',
  'remote add',
  'remote show',
  'remote remove',
  'key create',
  'key trust',
  'hook',
  'prime',
  'statusline',
  'install',
  'uninstall',
  'rescue',
]

const wordsOf = (line: string): readonly string[] =>
  [...line.matchAll(/"([^"]*)"(?=\s|$)|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')

describe('--json', () => {
  test('every command is tried here or elsewhere', () => {
    const names = place.data<readonly { readonly name: string }[]>('help').map(({ name }) => name)
    const hidden = ['complete', 'session acquire', ...ELSEWHERE]
    expect(names.filter((name) => !(name in LINES) && !ELSEWHERE.includes(name) && !MODULES.test(name))).toEqual([])
    expect(Object.keys(LINES).filter((name) => !names.includes(name) && !hidden.includes(name))).toEqual([])
  })

  test.each(Object.entries(LINES))('%s answers one object', (name, line) => {
    const words = wordsOf(line)
    const cut = words.includes('--') ? words.indexOf('--') : words.length
    const session =
      /^(session (mark|unmark|acquire|restore)|state|output|workflow (define|show|next|list|graph|detect|resume|transition|complete|restart|export)|once|step|log|diff|show|blame|stats|wait)/.test(
        name,
      )
        ? ['--session', 'main']
        : []
    const { status, out, err } = place.run(...words.slice(0, cut), '--json', ...session, ...words.slice(cut))
    expect(status, `${out}\n${err}`).toBe(0)
    const lines = out
      .trimEnd()
      .split('\n')
      .map((each) => JSON.parse(each) as Record<string, unknown>)
    const schema = `steadfold/${name.replaceAll(' ', '.')}/v1`
    expect(lines.at(-1)).toMatchObject({ schema, data: expect.anything() as unknown })
    if (name === 'run' || name === 'serve') expect(lines.at(-1)).toMatchObject({ type: 'result' })
    else expect(lines).toHaveLength(1)
  })

  test('an empty list is []', () => {
    const empty = new Place()
    for (const line of ['session list', 'verify']) expect(empty.data(...line.split(' '))).toEqual([])
    empty.run('session', 'create', 'a')
    for (const line of ['output list', 'step list', 'state history data.x', 'state query $.data.x'])
      expect(empty.data(...line.split(' '))).toEqual([])
    expect(empty.data('log', '-n', '0')).toEqual([])
    empty.remove()
  })

  test('an error of usage is an object, wherever --json stands', () => {
    for (const argv of [
      ['--json', 'stat'],
      ['stat', '--json'],
      ['state', 'set', '--json'],
      ['log', '--nope', '--json'],
    ]) {
      const { status, out, err } = place.run(...argv)
      expect({ status, err }).toEqual({ status: 64, err: '' })
      expect(JSON.parse(out)).toMatchObject({ error: { code: 'USAGE' } })
    }
  })
})

describe('help', () => {
  // Of each program that the binary is made of; all there are: help.test.ts of the library.
  test.each(['state get', 'task add', 'hook', 'status', 'run', 'session create'])(
    '%s --help begins with examples and fits 80 columns',
    (name) => {
      const { status, out } = place.run(...name.split(' '), '--help')
      expect(status).toBe(0)
      expect(out).toMatch(/^Examples\n {2}\$ steadfold |^Examples\n {2}\$ \S+ \| steadfold /)
      const wide = out
        .split('\n')
        .slice(1 + (/^Examples\n((?: {2}\$.*\n)+)/.exec(out)?.[1]?.split('\n').length ?? 1))
        .filter((line) => line.length > 80)
      expect(wide).toEqual([])
    },
  )

  test('the overview, of the program and of a noun, too', () => {
    for (const argv of [[], ['--help'], ['help'], ['session', '--help'], ['help', 'state']]) {
      const { status, out } = place.run(...argv)
      expect(status).toBe(0)
      expect(out).toMatch(/^Examples\n {2}\$ steadfold /)
    }
  })
})
