/*
 * What agent CLIs call: their hooks, their status line, and where an agent that begins stands.
 *
 * K1. A hook fails open: whatever goes wrong, it prints nothing and answers 0. STEADFOLD_DEBUG says what it was. Where a
 *     store does not answer, the program gives up for it (hook-main.ts).
 * K2. Only with --gate does it answer 2, which agent CLIs read as "block this", with the reason on stderr.
 * K3. It prints nothing but an answer that the event asks for: where the agent stands, when its context is new or was cut.
 * K4. An agent belongs to the workspace of the project it was started in, in whatever folder it works: as for hook.sh.
 * K5. It has one name in all that it does: the hook calls it as its commands are called (W1 of actor.ts).
 * K6. Of an agent that names no session, that in which it began is meant. What belongs to none yet waits in the spool.
 */
import { belonging, cliSessionIn, knowsRun } from '../../../kernel/belonging.ts'
import { membersOf } from '../../../kernel/json/members.ts'
import { byAnyName } from '../../../kernel/names.ts'
import type { Session } from '../../../kernel/session.ts'
import { agentName, namedAgent } from '../context/actor.ts'
import { AGENTS, type Agent } from '../context/agent-names.ts'
import type { HookApp } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { isOn, needed, numberOf, usage, type Input } from '../context/input.ts'
import type { Result } from '../context/result.ts'
import { nameOf, statusOf } from '../context/scope.ts'
import { anyReason, gateReason } from '../hook/gate.ts'
import { handedSoon } from '../hook/handed.ts'
import { DEFAULT_TOKENS, primeText, severalText } from '../hook/prime.ts'
import { cut, dollars, plain, thousands } from '../show/text.ts'
import { textAt } from '../show/view.ts'
import type { Command } from '../syntax/command.ts'
import { AS } from '../syntax/flags.ts'

const MOST_BYTES = 1_000_000
const BLOCK = 2
const SILENT: Result = { data: null, text: '' }

const hook: Command<HookApp> = {
  name: 'hook',
  summary: 'take what an agent CLI hands its hook on stdin',
  examples: ['hook claude', 'hook codex --gate'],
  notes:
    'For the settings of agent CLIs; steadfold install writes them. It fails open and prints nothing, but where a session begins or its context was cut: then the context of steadfold prime. Events that need no answer go through hook.sh, without a start of Node.',
  parameters: [
    { name: 'AGENT', field: 'agent', type: 'text', required: true, choices: AGENTS, summary: 'whose JSON it is' },
  ],
  flags: [
    {
      name: 'gate',
      field: 'gate',
      type: 'boolean',
      summary:
        'exit 2 for a tool that must not run now: the session is suspended or has departed, or another holds the lock of its file',
    },
    maxTokens(),
    AS,
  ],
  shares: ['session'],
  run: async (context, input) => {
    const isAsked = (context.env['STEADFOLD_DEBUG'] ?? '') !== ''
    if (!isAsked) process.emitWarning = () => undefined
    try {
      return await take(context, input)
    } catch (error) {
      if (isAsked) context.note(`hook: ${String(error)}`)
      return SILENT
    }
  },
}

async function take(context: Context<HookApp>, input: Input): Promise<Result> {
  context.home = projectOf(context)
  const handed = context.io.input()
  const payload = handed.subarray(0, MOST_BYTES).toString('utf8')
  // The parser takes no other.
  const agent = needed(input, 'agent') as Agent
  const asker = context.askedActor ?? namedAgent(context.env) ?? agentName(agent, cliSessionIn(payload))
  const asked = { asker, payload: handed.toString('utf8') }
  const session = await sessionOf(context, agent, payload)
  if (session === undefined) {
    await keepUnplaced(context, agent, handed)
    if (isOn(input, 'gate')) return gate(context, await anyReason(context, asked))
    const of = { agent, run: cliSessionIn(payload) }
    return starts(payload) ? answer('SessionStart', await severalText(context, of)) : SILENT
  }
  await identify(context, session, agent, payload)
  const before = forgot(session.get('$.activity.runs'), payload)
  const known = starts(payload) ? { who: asker, process: context.app.callerOf(agent) } : {}
  const done = await session.run('activity.record', { agent, payload, ...known }, { actor: 'tool:hook' })
  if (isOn(input, 'gate')) return gate(context, gateReason(context, session, asked))
  const told = done.kind === 'accepted' ? membersOf(done.events[0]?.data) : {}
  const asks = told['kind'] === 'started' || (told['kind'] === 'prompted' && before)
  const name = textAt(told['name'])
  if (!asks || name === null) return SILENT
  return answer(name, await primeText(context, session, { asker, tokens: tokensOf(input) }))
}

/** K6. Others are looked at only where the one that is meant by itself does not know the agent. */
async function sessionOf(context: Context<HookApp>, agent: Agent, payload: string): Promise<Session | undefined> {
  const [run, meant] = [cliSessionIn(payload), await meantBy(context)]
  if (context.namedSession !== undefined || (meant !== undefined && knowsRun(meant, agent, run))) return meant
  const home = (await belonging(await context.workspace())).ofRun(agent, run)
  return home === undefined ? meant : context.session('write', home)
}

/** Of an agent that was started before its session took another name, that one. */
function meantBy(context: Context<HookApp>): Promise<Session | undefined> {
  return byAnyName((id) => context.session('write', id)).catch(() => undefined)
}

/** K6; throws outside a workspace, where nothing can be kept (K1). */
async function keepUnplaced(context: Context<HookApp>, agent: Agent, handed: Buffer): Promise<void> {
  await context.workspace()
  const { app, env, dir, namedSession } = context
  if (namedSession === undefined) app.handIn(agent, handed, { ...env, STEADFOLD_DIR: dir })
}

/** K4: undefined where that is the current folder. */
const projectOf = ({ env }: Context): string | undefined =>
  [env['CLAUDE_PROJECT_DIR'], env['GEMINI_PROJECT_DIR']].find((dir) => dir?.startsWith('/'))

/** K2 */
function gate({ io }: Context, reason: string | undefined): Result {
  if (reason === undefined) return SILENT
  io.err(`${plain(reason)}\n`)
  return { data: { blocked: true, reason }, text: '', exit: BLOCK }
}

/** All of them take this form; the plugin of opencode reads it. */
function answer(hookEventName: string, additionalContext: string): Result {
  if (additionalContext === '') return SILENT
  const said = { hookSpecificOutput: { hookEventName, additionalContext } }
  return { data: said, text: () => JSON.stringify(said) }
}

const starts = (payload: string): boolean =>
  /"hook_event_name"\s*:\s*"(SessionStart|session\.started)"/.test(payload.slice(0, 4000))

/** A run under watch is called as it was named at its start: its CLI's own id is told here before its stream tells it. */
async function identify({ env }: Context, session: Session, agent: string, payload: string): Promise<void> {
  const [run, cli_session] = [env['STEADFOLD_RUN'] ?? '', cliSessionIn(payload)]
  const known = membersOf(membersOf(session.get('$.activity.runs'))[`${agent}:${run}`])
  if (cli_session === undefined || known['cli_session'] !== null) return
  const { tokens, cost_usd, tools } = known
  await session.run('activity.meter', { agent, run, cli_session, tokens, cost_usd, tools }, { actor: 'tool:hook' })
}

/** Whether the run that the payload names has had its context cut since it was last told. */
function forgot(runs: unknown, payload: string): boolean {
  const id = cliSessionIn(payload)
  const run = Object.values(membersOf(runs)).find((each) => id !== undefined && membersOf(each)['cli_session'] === id)
  return membersOf(run)['forgot'] === true
}

const prime: Command<HookApp> = {
  name: 'prime',
  summary: 'where an agent that begins stands: goal, work, locks',
  examples: ['prime', 'prime --max-tokens 500', 'prime --session build-auth'],
  notes: 'A token is taken for four characters. What matters least is left out first.',
  parameters: [],
  flags: [maxTokens()],
  shares: ['session'],
  run: async (context, input) => {
    const session = await context.session('read')
    const text = await primeText(context, session, { asker: context.actor, tokens: tokensOf(input) })
    return { data: { session: session.id, text }, text }
  },
}

function maxTokens() {
  return {
    name: 'max-tokens',
    field: 'maxTokens',
    type: 'number',
    value: 'N',
    summary: `most tokens of context; ${DEFAULT_TOKENS} when left out`,
  } as const
}

function tokensOf(input: Input): number {
  const tokens = numberOf(input, 'maxTokens') ?? DEFAULT_TOKENS
  if (!(tokens >= 50)) throw usage(`--max-tokens takes a number from 50, not ${tokens}`)
  return tokens
}

const statusline: Command<HookApp> = {
  name: 'statusline',
  summary: 'one line about the session for the status line of an agent CLI',
  examples: ['statusline', 'statusline --session build-auth'],
  notes: 'It prints an empty line where there is no workspace or no session to speak of.',
  parameters: [],
  flags: [],
  shares: ['session'],
  run: async (context) => {
    context.home = projectOf(context)
    const session = await ofLine(context).catch(() => undefined)
    if (session === undefined) return SILENT
    const { row, needs } = await context.app.overview.glance(session)
    const parts = [
      nameOf(session),
      statusOf(session) === 'active' ? row.workflow?.current : statusOf(session),
      row.steps.total > 0 ? `${row.steps.finished}/${row.steps.total} steps` : undefined,
      needs.length > 0 ? `${needs.length} need${needs.length === 1 ? 's' : ''} you` : undefined,
      `seq ${thousands(row.seq)}`,
      dollars(row.cost_usd) || undefined,
    ].filter((part) => part !== undefined)
    return { data: { parts }, text: () => cut(parts.map(plain).join(' · '), 120) }
  },
}

/** K6: of several, the one in which Claude Code began, which alone has such a line. */
async function ofLine(context: Context<HookApp>): Promise<Session | undefined> {
  const meant = await context.session('read').catch(() => undefined)
  if (meant !== undefined || context.namedSession !== undefined) return meant
  const { ofRun } = await belonging(await context.workspace())
  const home = ofRun('claude', cliSessionIn(await handedSoon(context.io.isTerminal('in'))))
  return home === undefined ? undefined : context.session('read', home)
}

export const hookCommands: readonly Command<HookApp>[] = [hook, prime, statusline]
