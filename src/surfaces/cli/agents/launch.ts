/* How each agent CLI is started, and by which id its session is known. */
import { randomUUID } from 'node:crypto'
import type { Agent } from '../context/agent-names.ts'
import { usage } from '../context/input.ts'

export interface Launch {
  readonly argv: readonly string[]
  /** As the run is called here. */
  readonly run: string
  /** The CLI takes that id for its own session. */
  readonly assigned: boolean
  /** It asks nobody, and writes JSON lines, or what its words ask for. */
  readonly headless: boolean
  /** Its words ask for another form than the lines that are read here: it is handed on as it comes. */
  readonly ownForm: boolean
}

const ID = /^\w[\w.:-]{0,127}$/

/** `words`: what stands behind `--`, with or without the program's own name. */
export function launchOf(agent: Agent, words: readonly string[]): Launch {
  const args = words[0] === agent ? words.slice(1) : words
  return LAUNCHES[agent](args)
}

const LAUNCHES: Readonly<Record<Agent, (args: readonly string[]) => Launch>> = {
  claude: (args) => {
    const given = checked(valueOf(args, '--session-id') ?? valueOf(args, '--resume') ?? valueOf(args, '-r'))
    const headless = args.includes('-p') || args.includes('--print')
    // It takes no id where it goes on with a session of its choice or forks one, and tells its own.
    const chooses = given === undefined && ['--continue', '-c', '--resume', '-r'].some((flag) => has(args, flag))
    const assigned = !chooses && (has(args, '--session-id') || !has(args, '--fork-session'))
    const run = (assigned ? given : undefined) ?? randomUUID()
    const own = given === undefined && assigned ? ['--session-id', run] : []
    const format = headless && !has(args, '--output-format') ? ['--output-format', 'stream-json', '--verbose'] : []
    const ownForm = headless && asksElse(args, ['--output-format'], 'stream-json')
    return { argv: ['claude', ...own, ...format, ...args], run, assigned, headless, ownForm }
  },
  codex: (args) => {
    const headless = args[0] === 'exec' || args[0] === 'e'
    const rest = args.slice(1)
    const json = headless && !args.includes('--json') ? ['--json'] : []
    const [verb, id] = headless ? rest : args
    // Behind a flag stands its value, or what is said: it tells the session by itself.
    const known = verb === 'resume' && id?.startsWith('-') !== true ? checked(id) : undefined
    const argv = headless ? ['codex', 'exec', ...json, ...rest] : ['codex', ...args]
    return { argv, run: known ?? randomUUID(), assigned: known !== undefined, headless, ownForm: false }
  },
  gemini: (args) => {
    const given = checked(valueOf(args, '--resume') ?? valueOf(args, '-r') ?? valueOf(args, '--session-id'))
    const headless = ['-p', '--prompt'].some((flag) => has(args, flag))
    const format =
      headless && !has(args, '--output-format') && !has(args, '-o') ? ['--output-format', 'stream-json'] : []
    // An index, or `latest`, is no id.
    const known = given !== undefined && /-/.test(given) ? given : undefined
    const ownForm = headless && asksElse(args, ['--output-format', '-o'], 'stream-json')
    const argv = ['gemini', ...format, ...args]
    return { argv, run: known ?? randomUUID(), assigned: known !== undefined, headless, ownForm }
  },
  opencode: (args) => {
    const headless = args[0] === 'run' && !has(args, '--interactive') && !has(args, '-i')
    const format = headless && !has(args, '--format') ? ['--format', 'json'] : []
    // It takes the id of a session that is there already, and makes one of its own where it forks that.
    const known = has(args, '--fork') ? undefined : checked(valueOf(args, '--session') ?? valueOf(args, '-s'))
    const argv = headless ? ['opencode', 'run', ...format, ...args.slice(1)] : ['opencode', ...args]
    const ownForm = headless && asksElse(args, ['--format'], 'json')
    return { argv, run: known ?? randomUUID(), assigned: known !== undefined, headless, ownForm }
  },
}

const has = (args: readonly string[], flag: string): boolean =>
  args.some((each) => each === flag || each.startsWith(`${flag}=`))

const asksElse = (args: readonly string[], flags: readonly string[], read: string): boolean =>
  flags.some((flag) => has(args, flag) && valueOf(args, flag) !== read)

function valueOf(args: readonly string[], flag: string): string | undefined {
  const at = args.findIndex((each) => each === flag || each.startsWith(`${flag}=`))
  if (at < 0) return undefined
  const word = args[at] ?? ''
  const value = word.includes('=') ? word.slice(word.indexOf('=') + 1) : args[at + 1]
  return value?.startsWith('-') === true ? undefined : value
}

function checked(id: string | undefined): string | undefined {
  if (id === undefined || ID.test(id)) return id
  throw usage(`"${id}" is no id of a session`, 'name the session by its id')
}
