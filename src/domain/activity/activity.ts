/*
 * What coding agents do, as their own programs tell it.
 *
 *   hook's JSON ──normalise──► activity.recorded ─┐
 *              └─not understood─► agent.raw       ├──► runs, recent
 *   run --agent ──► launched, metered, closed ────┘
 *
 *   starting ──► idle ⇄ working ⇄ waiting ──► ended;  ended ──told again──► as told
 *
 * Y1. At most 100 runs and 50 recent rows are kept; runs that have ended make room first. What they used stays counted.
 * Y2. What is not understood is kept as `agent.raw` and changes no run.
 * Y3. A payload is kept bounded: no text, list, object or depth above its limit, and no key that is forbidden.
 * Y4. What a run was metered is a total: told twice, it counts once, and so does a tool of which a hook told as well.
 * Y5. A run that was launched and closed by whoever watched it keeps its cause, whatever hooks say later, until they say
 *     that it was taken up again: then nobody watches it.
 * Y6. One that nobody watches is told to be gone by the process that its hook saw when it began. What it held is free with
 *     that, unless another that goes on has the same name (domain/session/lost.ts).
 */
import type { Edit } from '../../kernel/state/edit.ts'
import { defineModule, sliceOf, type Tree } from '../../kernel/state/module.ts'
import type { ActivityEvent, ActivityKind, ActivitySlice, AgentRun, Recorded } from './events.ts'

const RUNS_KEPT = 100
const RECENT_KEPT = 50

export const activityModule = defineModule<ActivitySlice, ActivityEvent>({
  slice: 'activity',
  initial: () => ({ runs: {}, recent: [], raw: 0 }),
  evolve: {
    'activity.recorded': (slice, data, edit, { at }) => {
      const found = byCliSession(slice, data)
      const { cli_process, ...run } = found ?? fresh({ ...data, cli_session: data.run }, at)
      // What begins anew is another process, known or not.
      const own = data.kind === 'started' ? data.process : cli_process
      const cli = own === undefined ? {} : { cli_process: edit.own(own) }
      keep(slice, { ...run, ...told(run, data), ...cli, ...named(data), last_at: at }, edit)
      const { agent, kind, tool, detail } = data
      const row = { at, agent, run: run.run, kind, tool, detail }
      edit.set(asContainer(slice), 'recent', [...slice.recent.slice(1 - RECENT_KEPT), row])
    },
    'agent.raw': (slice, _data, edit) => edit.set(asContainer(slice), 'raw', slice.raw + 1),
    'activity.launched': (slice, { agent, run, cwd, assigned, process: owner, who }, edit, { at }) => {
      const known = slice.runs[keyOf(agent, run)] ?? fresh({ agent, run, cwd, cli_session: null }, at)
      const own = assigned ? run : known.cli_session
      const again = { status: 'starting', cause: null, reason: null, process: edit.own(owner) } as const
      keep(slice, { ...known, ...again, ...named({ who }), cwd, cli_session: own, last_at: at }, edit)
    },
    'activity.identified': (slice, { agent, run, cli_session }, edit) =>
      change(slice, { agent, run }, edit, ({ status }) => ({
        cli_session,
        status: status === 'starting' ? 'working' : status,
      })),
    'activity.metered': (slice, { agent, run, tokens, cost_usd, tools }, edit, { at }) =>
      change(slice, { agent, run }, edit, (known) => ({
        tokens,
        cost_usd,
        tools: Math.max(known.tools, tools),
        status: known.status === 'starting' ? 'working' : known.status,
        last_at: at,
      })),
    'activity.closed': (slice, { agent, run, cause, reason }, edit, { at }) =>
      change(slice, { agent, run }, edit, () => ({ status: 'ended', cause, reason, tool: null, last_at: at })),
  },
})

export const activityOf = (root: Readonly<Tree>): ActivitySlice | undefined => sliceOf<ActivitySlice>(root, 'activity')

export const keyOf = (agent: string, run: string): string => `${agent}:${run}`

export function runIn(slice: ActivitySlice | undefined, key: string): AgentRun | undefined {
  return slice !== undefined && Object.hasOwn(slice.runs, key) ? slice.runs[key] : undefined
}

/** The run to which a CLI's own id belongs. */
export function byCliSession(
  slice: ActivitySlice | undefined,
  { agent, run }: Pick<AgentRun, 'agent' | 'run'>,
): AgentRun | undefined {
  const own = runIn(slice, keyOf(agent, run))
  if (own !== undefined) return own
  return Object.values(slice?.runs ?? {}).find((each) => each.agent === agent && each.cli_session === run)
}

function fresh(
  { agent, run, cwd, cli_session }: Pick<AgentRun, 'agent' | 'run' | 'cwd' | 'cli_session'>,
  at: string,
): AgentRun {
  const none = { prompts: 0, tools: 0, tools_told: 0, failed: 0, compactions: 0, tokens: 0, cost_usd: 0 }
  const open = { status: 'starting', cause: null, reason: null, tool: null, forgot: false, process: null } as const
  return { agent, run, cli_session, cwd, ...open, started_at: at, last_at: at, ...none }
}

const named = ({ who }: Pick<Recorded, 'who'>): Pick<AgentRun, 'who'> => (who === undefined ? {} : { who })

type Change = (run: AgentRun, data: Recorded) => Partial<AgentRun>

const WORKING: Partial<AgentRun> = { status: 'working', cause: null, reason: null }

const CHANGES: Readonly<Record<ActivityKind, Change>> = {
  started: (run, { detail }) => ({
    ...WORKING,
    status: 'idle',
    forgot: false,
    compactions: run.compactions + (detail === 'compact' ? 1 : 0),
  }),
  prompted: ({ prompts }) => ({ ...WORKING, prompts: prompts + 1, forgot: false }),
  'tool-started': (_run, { tool }) => ({ ...WORKING, tool }),
  'tool-finished': (run) => ({ ...WORKING, ...counted(run), tool: null }),
  'tool-failed': (run) => ({ ...WORKING, ...counted(run), failed: run.failed + 1, tool: null }),
  asked: (_run, { detail }) => ({ status: 'waiting', reason: detail }),
  'subagent-started': () => WORKING,
  'subagent-ended': () => ({}),
  compacted: ({ compactions }, data) => (isLook(data) ? {} : { compactions: compactions + 1, forgot: true }),
  'turn-ended': () => ({ status: 'idle', tool: null, reason: null }),
  'turn-failed': (_run, { detail }) => ({ status: 'waiting', tool: null, reason: detail }),
  ended: (_run, { detail }) => ({ status: 'ended', cause: 'finished', reason: detail, tool: null }),
}

/** Gemini CLI tells of it each time that it looks whether to cut, and not when it did. */
const isLook = ({ agent, detail }: Recorded): boolean => agent === 'gemini' && detail === 'auto'

/** Y4 */
function counted({ tools, tools_told }: AgentRun): Pick<AgentRun, 'tools' | 'tools_told'> {
  return { tools: Math.max(tools, tools_told + 1), tools_told: tools_told + 1 }
}

/** Whether it tells of a process that is new; opencode does not say how its sessions begin. */
const isAgain = ({ agent, kind, detail }: Recorded): boolean =>
  kind === 'started' && (agent === 'opencode' || detail === 'resume')

/** Y5 */
function told(run: AgentRun, data: Recorded): Partial<AgentRun> {
  const { status, cause, reason, ...rest } = CHANGES[data.kind](run, data)
  const cwd = data.cwd ?? run.cwd
  const closed = run.status === 'ended' && run.process !== null
  if (closed && !isAgain(data)) return { ...rest, cwd, tool: null }
  return {
    ...rest,
    cwd,
    ...(closed ? { process: null } : {}),
    ...(status === undefined ? {} : { status }),
    ...(cause === undefined ? {} : { cause }),
    ...(reason === undefined ? {} : { reason }),
  }
}

/** Y1 */
function keep(slice: ActivitySlice, run: AgentRun, edit: Edit): void {
  const key = keyOf(run.agent, run.run)
  if (!Object.hasOwn(slice.runs, key)) {
    const all = Object.entries(slice.runs)
    const oldest = all.find(([, { status }]) => status === 'ended') ?? all[0]
    if (all.length >= RUNS_KEPT && oldest !== undefined) drop(slice, oldest, edit)
  }
  edit.set(slice.runs, key, run)
}

function drop(slice: ActivitySlice, [key, { tokens, cost_usd }]: readonly [string, AgentRun], edit: Edit): void {
  edit.remove(slice.runs, key)
  if (tokens === 0 && cost_usd === 0) return
  const before = slice.spent ?? { tokens: 0, cost_usd: 0 }
  const spent = { tokens: before.tokens + tokens, cost_usd: before.cost_usd + cost_usd }
  edit.set(asContainer(slice), 'spent', spent)
}

function change(
  slice: ActivitySlice,
  { agent, run }: Pick<AgentRun, 'agent' | 'run'>,
  edit: Edit,
  update: (run: AgentRun) => Partial<AgentRun>,
): void {
  const known = runIn(slice, keyOf(agent, run))
  if (known !== undefined) keep(slice, { ...known, ...update(known) }, edit)
}

function asContainer(slice: ActivitySlice): Record<string, unknown> {
  // The slice is plain JSON; its interface only names the members.
  return slice as unknown as Record<string, unknown>
}
