import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openRunner, openWorkspace } from '../../../compose.ts'
import { operations } from '../../../compose/operations.ts'
import { EngineError } from '../../../kernel/error.ts'
import { hookCommands } from '../commands/hook.ts'
import type { App, HookApp, ShellApp } from '../context/app.ts'
import type { Command } from '../syntax/command.ts'
import { flagsOf } from '../syntax/flags.ts'
import { makeTable } from '../table/commands.ts'
import { hotTable } from '../table/hot-table.ts'
import { programFor } from '../table/programs.ts'
import { teamCommand } from '../table/team-table.ts'
import { parseCold } from './cold.ts'
import { parseHot } from './hot.ts'

const never = () => Promise.reject(new Error('not for parsing'))
const app: App = {
  callerOf: () => undefined,
  handIn: () => undefined,
  version: '0',
  imports: { kinds: [], detect: () => ({ plans: [], stateless: [], unknown: [] }), shapeOf: () => '', scratch: never },
  exports: { craft: () => ({}), markdown: () => '', cloudevents: () => [], events: () => [] },
  program: '',
  examples: '',
  operations,
  openWorkspace,
  folderFor: () => '',
  runner: openRunner,
  schemas: {},
  loadWorkflow: never,
  recovery: { evidence: never, plan: never, carryOut: never },
  self: never,
  retention: { plan: never, carryOut: never },
  daemon: { serve: never, serveFile: never, find: never },
  mcp: never,
  nostr: { makeKey: never, sync: never },
  database: never,
  vault: never,
  overview: {
    glance: never,
    inbox: () => ({ needs_you: [], working: [], done: [], idle: [], other: [], hidden: 0 }),
    figures: never,
    folderFigures: never,
    metrics: never,
    recent: () => [],
  },
  handedIn: never,
  adopt: never,
  shell: { path: '', text: () => '', view: () => '' },
  completion: () => '',
}
const table = makeTable(app)

/** Of all programs that start fast. */
const fast: readonly Command<HookApp & ShellApp>[] = [
  ...hotTable,
  ...hookCommands,
  ...(await Promise.all(
    (await table.all())
      .map(({ name }) => name.split(' '))
      .filter(([noun = '']) => programFor(noun) === 'team')
      .map(async (words) => (await teamCommand(operations, words)) ?? []),
  ).then((commands) => commands.flat())),
]

const hot = (argv: readonly string[]) => {
  const call = parseHot(fast, argv)
  return call === undefined ? undefined : { name: call.command.name, input: call.input }
}

async function cold(argv: readonly string[]) {
  try {
    const { command, input } = await parseCold(table, argv)
    return { name: command.name, input }
  } catch (error) {
    if (error instanceof EngineError) return error.code
    throw error
  }
}

const UNDERSTOOD = [
  ['state', 'get'],
  ['state', 'get', 'data.topic'],
  ['state', 'get', '$.data["a b"]', '--json'],
  ['state', 'get', '--default', '0', 'data.n', '--raw'],
  ['state', 'get', 'x', '-s', 'build@17', '--at', '@-3', '--dir', '/w', '--color', 'never'],
  ['state', 'get', 'x', '--session=a', '--at=2h'],
  ['state', 'set', 'data.topic', 'auth'],
  ['state', 'set', 'data.topic', '-'],
  ['state', 'set', 'data.topic', ''],
  [
    'state',
    'set',
    '-f',
    'x.json',
    'data.topic',
    '--if-seq',
    '12',
    '--key',
    'k',
    '--as',
    'agent:a',
    '--reason',
    'because of it',
  ],
  ['state', 'set', '--string', 'data.n', '1', '-n'],
  ['state', 'set', '-n', '-s', 'build', 'data.n', '1'],
  ['state', 'set', '--', 'data.n', '-1'],
  ['state', 'delete', 'data.n', '--dry-run'],
  ['output', 'get', 'plan.title', '--default', ''],
  ['output', 'set', 'a', '--file', '-'],
  ['workflow', 'transition', 'test', '--begin'],
  ['workflow', 'transition', '--resume'],
  ['workflow', 'next'],
  ['workflow', 'show', '--at', '17'],
  ['step', 'list', '--status', 'parked'],
  ['log', '-n', '3', '--op', 'step.*', '--op', 'state.set', '--json'],
  ['log', '--count=3', '--since', '2h', '--until', '@', '--type', 'data.set'],
  ['hook', 'claude'],
  ['hook', 'gemini', '--gate', '--as', 'agent:a', '-s', 'build'],
  ['prime', '--max-tokens', '500'],
  ['statusline', '--session=build'],
  ['task', 'add', 'write the tests', '--priority', 'high', '--as', 'agent:a'],
  ['task', 'list', '--status', 'pending', '--at', '@-3', '--json'],
  ['task', 'claim', '--any', '--key', 'k'],
  ['lock', 'acquire', 'db', '--shared', '--wait', '30s', '--ttl=5m'],
  ['lock', 'list', '--resource', 'db'],
  ['message', 'send', 'done', '--to', 'agent:a', '--to', 'agent:b'],
  ['message', 'receive', '--agent', 'a', '--max', '3'],
  ['session', 'create', 'build', '--goal', 'g', '--if-missing'],
  ['session', 'end', 'build', '--outcome', 'failed', '-n'],
]

const HANDED_OVER = [
  [],
  ['--json', 'state', 'get'],
  ['state'],
  ['state', 'get', 'a', 'b'],
  ['state', 'set'],
  ['state', 'get', '--help'],
  ['state', 'get', '-h'],
  ['state', 'get', '--nonsense'],
  ['state', 'set', 'data.n', '-1'],
  ['state', 'set', 'data.n', '1', '--if-seq', 'one'],
  ['state', 'set', 'data.n', '1', '--if-seq'],
  ['state', 'get', '--color', 'pink'],
  ['state', 'set', '-nsbuild', 'data.n', '1'],
  ['state', 'set', '--reason', '--json', 'data.n', '1'],
  ['step', 'list', '--status', 'lost'],
  ['hook', 'nobody'],
  ['hook'],
  ['prime', '--max-tokens', 'many'],
  ['session', 'archive', 'a'],
  ['version'],
]

describe('two parsers of one table', () => {
  test.each(UNDERSTOOD.map((argv) => [argv.join(' '), argv] as const))(
    'H2: both read the same in: %s',
    async (_, argv) => {
      const here = hot(argv)
      expect(here).toBeDefined()
      expect(await cold(argv)).toEqual(here)
    },
  )

  test.each(HANDED_OVER.map((argv) => [argv.join(' '), argv] as const))('H1: handed over untouched: %s', (_, argv) => {
    expect(hot(argv)).toBeUndefined()
  })

  test('H2: whatever words and flags stand on a hot line, what one parser understands the other does, too', async () => {
    const command = fc.constantFrom(...fast)
    const word = fc.constantFrom('data.x', '1', '-', '', 'a b', '-1', '--', 'x=y', '"q"', '@-3', 'état')
    const line = command.chain((each) => {
      const flag = fc.constantFrom(...flagsOf(each)).chain(({ name, short, type, choices }) => {
        const spelling = short === undefined ? fc.constant(`--${name}`) : fc.constantFrom(`--${name}`, `-${short}`)
        const value = choices === undefined ? fc.oneof(word, fc.nat(20).map(String)) : fc.constantFrom(...choices)
        if (type === 'boolean') return spelling.map((text) => [text])
        return fc.oneof(
          fc.tuple(spelling, value).map(([text, given]) => [text, given]),
          value.map((given) => [`--${name}=${given}`]),
        )
      })
      return fc
        .array(
          fc.oneof(
            word.map((text) => [text]),
            flag,
          ),
          { maxLength: 5 },
        )
        .map((parts) => [...each.name.split(' '), ...parts.flat()])
    })
    await fc.assert(
      fc.asyncProperty(line, async (argv) => {
        const here = hot(argv)
        if (here !== undefined) expect(await cold(argv)).toEqual(here)
      }),
      { numRuns: 500 },
    )
  })
})

describe('the full parser', () => {
  test('flags that every command has may stand anywhere', async () => {
    const wanted = await cold(['state', 'get', 'x', '--json', '--dir', '/w'])
    expect(await cold(['--json', '--dir', '/w', 'state', 'get', 'x'])).toEqual(wanted)
    expect(await cold(['state', '--json', 'get', '--dir', '/w', 'x'])).toEqual(wanted)
  })

  test('what stands behind -- belongs to the command that is run', async () => {
    const { input } = (await cold(['once', 'k', '--repeatable', '--', 'sh', '-c', 'x', '--', '--json'])) as {
      readonly input: object
    }
    expect(input).toEqual({ key: 'k', repeatable: true, command: ['sh', '-c', 'x', '--', '--json'] })
  })

  test('times are read in milliseconds', async () => {
    expect(await cold(['wait', '--seq', '1', '--timeout', '1.5m'])).toMatchObject({ input: { timeout: 90_000 } })
    expect(await cold(['wait', '--seq', '1', '--timeout', 'soon'])).toBe('USAGE')
  })

  test.each([
    [['stat'], /state/],
    [['ver'], /verify/],
    [['state', 'gte'], /get/],
    [['state', 'set', 'x', '1', '--dry'], /--dry-run/],
    [['session', 'lst'], /list/],
  ])('guesses what was meant by %j', async (argv, guess) => {
    await expect(parseCold(table, argv)).rejects.toMatchObject({
      code: 'USAGE',
      hint: expect.stringMatching(guess) as unknown,
    })
  })
})

test.each([[['--json']], [['--dir', '.']], [['--']]])('asks which command is meant by %j', async (argv) => {
  await expect(parseCold(table, argv)).rejects.toMatchObject({ message: 'which command?', hint: 'steadfold --help' })
})

describe('the table', () => {
  test('every hot command is a command of the table', async () => {
    const all = await table.all()
    for (const command of hotTable) {
      expect(all).toContain(command)
      expect(programFor(command.name.split(' ')[0] ?? ''), command.name).toBe('hot')
    }
  })

  test('W1 what the team program finds for a line is the command of the table', async () => {
    const ofTeam = (await table.all()).filter(({ name }) => programFor(name.split(' ')[0] ?? '') === 'team')
    expect(ofTeam.length).toBeGreaterThan(80)
    const missing: string[] = []
    for (const { run, ...command } of ofTeam) {
      const found = await teamCommand(operations, command.name.split(' '))
      if (found === undefined) missing.push(command.name)
      else {
        expect(found, command.name).toMatchObject(command)
        // Those that are made anew share their text; a command by hand has its own.
        expect(found.run.toString(), command.name).toBe(run.toString())
      }
    }
    expect(missing).toEqual(['session export', 'session archive', 'session restore', 'runner list', 'activity adopt'])
    expect(await teamCommand(operations, ['task', 'nonsense'])).toBeUndefined()
  })

  test('every operation has a command', async () => {
    const names = new Set((await table.all()).map(({ name }) => name))
    expect(
      (await operations.all()).map(({ name }) => name.replace('.', ' ')).filter((name) => !names.has(name)),
    ).toEqual([])
  })

  test('names are used once, summaries fit a terminal', async () => {
    const all = await table.all()
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
    expect(
      all.filter(({ summary, name }) => summary.length > 66 && !name.includes(' ')).map(({ name }) => name),
    ).toEqual([])
    expect(all.filter(({ examples }) => examples.length === 0).map(({ name }) => name)).toEqual([])
  })

  test('every example can be parsed', async () => {
    const wrong: string[] = []
    for (const { examples } of (await table.all()).filter(({ hidden }) => hidden !== true)) {
      for (const line of examples) if (typeof (await cold(wordsOf(line))) === 'string') wrong.push(line)
    }
    expect(wrong).toEqual([])
  })
})

/** Words as a shell would make them, of the first command that is ours; quotes are taken away. */
function wordsOf(line: string): readonly string[] {
  const own = line.replace(/^\S.* \| (?=state|output|supervise|import|redact)/, '').split(/ (?:&&|\|\||\||>) /)[0] ?? ''
  return [...own.matchAll(/'([^']*)'|"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  )
}
