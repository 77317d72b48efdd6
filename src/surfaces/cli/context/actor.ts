/*
 * Who asks, where --as does not say it.
 *
 * W1. An agent, or a tool: that STEADFOLD_ACTOR names; else the one whose CLI started the command, where that CLI tells its
 *     commands so. Where it tells the id of its session, too, the end of that is part of the name: two of them are two.
 * W2. Else a person: that STEADFOLD_ACTOR names; else whose account it is. No agent becomes a person by silence.
 */
import { agentOfSession, isActor, isPerson } from '../../../kernel/text/actor.ts'
import { AGENTS, type Agent } from './agent-names.ts'
import { usage } from './input.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export const actorIn = (env: Environment): string => agentIn(env) ?? personIn(env)

/** W1: undefined where no agent is known to ask. */
export const agentIn = (env: Environment): string | undefined => namedAgent(env) ?? agentAround(env)

/** W1: undefined where STEADFOLD_ACTOR names none. */
export function namedAgent(env: Environment): string | undefined {
  const named = namedIn(env)
  return named !== undefined && !isPerson(named) ? named : undefined
}

/** W2 */
export function personIn(env: Environment): string {
  const named = namedIn(env)
  return named !== undefined && isPerson(named) ? named : `human:${userOf(env)}`
}

function namedIn(env: Environment): string | undefined {
  const named = nonEmpty(env['STEADFOLD_ACTOR'])
  return named === undefined ? undefined : checkedActor(named, 'STEADFOLD_ACTOR is')
}

/** `where` begins the error. */
export function checkedActor(named: string, where: string): string {
  if (isActor(named)) return named
  throw usage(`${where} human:NAME, agent:NAME or tool:NAME, not "${named}"`)
}

/** W1: what each CLI sets for its commands: the first two the id of its session. */
const SETS: Readonly<Record<Agent, string>> = {
  claude: 'CLAUDE_CODE_SESSION_ID',
  codex: 'CODEX_THREAD_ID',
  gemini: 'GEMINI_CLI',
  opencode: 'OPENCODE',
}
/** W1: Codex has a thread of its own for each subagent; its hooks are called by the session of all of them. */
const IS_OF: Readonly<Partial<Record<Agent, string>>> = { codex: 'CODEX_SESSION_ID' }
const TELLS_ID: ReadonlySet<Agent> = new Set(['claude', 'codex'])

function agentAround(env: Environment): string | undefined {
  const agent = AGENTS.find((each) => nonEmpty(env[SETS[each]]) !== undefined)
  return agent && agentName(agent, nonEmpty(env[IS_OF[agent] ?? '']) ?? env[SETS[agent]])
}

/** W1: of a session, as its commands are called, too. */
export const agentName = (agent: Agent, id = ''): string => agentOfSession(agent, TELLS_ID.has(agent) ? id : '')

const nonEmpty = (text: string | undefined): string | undefined => (text === '' ? undefined : text)

function userOf(env: Environment): string {
  const name = nonEmpty(env['USER']) ?? nonEmpty(env['LOGNAME']) ?? nameOfUid()
  // Most names need no look at Unicode, which takes longer than all of this.
  return /^[\w.-]{1,200}$/.test(name) ? name : name.replaceAll(/[\p{C}\s]/gu, '_').slice(0, 200)
}

/** The list of users is asked last: loading what reads it takes longer than a read of the state. */
function nameOfUid(): string {
  const uid = process.getuid?.()
  if (uid === 0) return 'root'
  try {
    return process.getBuiltinModule('node:os').userInfo().username
  } catch {
    // Containers are often run as a number that no list of users has.
    return `uid-${uid}`
  }
}
