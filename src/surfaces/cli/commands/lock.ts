/** Locks that wait, and a command that runs under one. The rest is made from the operations. */
import { EngineError } from '../../../kernel/error.ts'
import { membersOf } from '../../../kernel/json/members.ts'
import { accepted, type Answer } from '../../../kernel/operation/answer.ts'
import { isPerson } from '../../../kernel/text/actor.ts'
import { duration } from '../../../kernel/text/duration.ts'
import { holdLock, isOwner, LEAST_TTL_MS, type HeldLock } from '../../../waiting/lock.ts'
import { placeOf, standInQueue, type Hold } from '../../../waiting/queue.ts'
import { written } from '../answer/answer.ts'
import type { Context } from '../context/context.ts'
import { assertNotWaiting, isOn, listOf, needed, numberOf, textOf, usage, type Input } from '../context/input.ts'
import type { Result } from '../context/result.ts'
import { quoted } from '../context/scope.ts'
import { unlessStopped } from '../process/stopped.ts'
import { runUnder, type Done } from '../process/under-lock.ts'
import { fit, leftOut, type Column } from '../show/fit.ts'
import { plain } from '../show/text.ts'
import { textAt } from '../show/view.ts'
import type { Command, Flag } from '../syntax/command.ts'
import { AS } from '../syntax/flags.ts'

const TTL_MS = 60_000

const RESOURCE = {
  name: 'RESOURCE',
  field: 'resource',
  type: 'text',
  required: true,
  summary: 'any name: a file, a branch, a service',
} as const

const SHARED: Flag = {
  name: 'shared',
  field: 'shared',
  type: 'boolean',
  summary: 'together with others who share it; alone when left out',
}

const TTL: Flag = {
  name: 'ttl',
  field: 'ttl',
  type: 'duration',
  value: 'TIME',
  summary: 'it runs out after that unless it is renewed; 60s when left out',
}

const waitFlag = (summary: string): Flag => ({ name: 'wait', field: 'wait', type: 'duration', value: 'TIME', summary })

const REASON: Flag = { name: 'reason', field: 'reason', type: 'text', value: 'TEXT', summary: 'what it is for' }

const acquire: Command = {
  name: 'lock acquire',
  summary: 'take a lock and print its fencing token; exit 6 when another has it',
  examples: ['lock acquire src/api.ts --as agent:worker-1', 'lock acquire db --shared --wait 30s --ttl 5m --json'],
  notes:
    'The queue is fair. Waiting that would never end is refused with the loop (exit 4); --wait that is over is exit 7. Who has it already is given its token again, and more time. The token goes with `lock renew` and `lock release`.',
  parameters: [RESOURCE],
  flags: [SHARED, TTL, waitFlag('stand in the queue for that long; not at all when left out'), REASON],
  shares: ['session', 'write'],
  run: async (context, input) => {
    const session = await context.session('write')
    const request = asked(context, input)
    const wait_ms = numberOf(input, 'wait') ?? 0
    if (wait_ms === 0) return acquired(context, await session.run('lock.acquire', atOnce(request), context.options))
    assertNotWaiting(context.options)
    const hold = await unlessStopped(context.signal, standInQueue(session, { ...request, wait_ms }))
    const { held, text } = told(context, hold)
    return { data: held, text }
  },
}

/** A person has more than one terminal, and scripts in them. */
function noteSame(context: Context, { holder, resource }: Hold): void {
  if (isPerson(holder))
    context.note(
      `${holder} held ${plain(resource)} before: two terminals under one name are one holder; --as NAME or lock with tells them apart`,
    )
}

const atOnce = ({ resource, mode, ttl_ms, reason }: ReturnType<typeof asked>) => ({ resource, mode, ttl_ms, reason })

function acquired(context: Context, answer: Answer): Result {
  const done = accepted(answer)
  if (context.options.dryRun === true) return written(context, answer)
  const { held, text } = told(context, placeOf(done).hold)
  return { data: { ...held, ...(done.repeated === true ? { repeated: true } : {}) }, text }
}

function told(context: Context, hold: Hold | undefined) {
  if (hold === undefined) return { held: { held: false }, text: '' }
  if (hold.again) noteSame(context, hold)
  return { held: { held: true, ...hold }, text: () => `${hold.token}` }
}

const under: Command = {
  name: 'lock with',
  summary: 'run a command while holding a lock, and give it back however that ends',
  examples: ['lock with db -- npm run migrate', 'lock with src/api.ts --shared --wait 5m -- npm test'],
  notes:
    'Waits for its turn, renews while the command runs, and exits with the status of the command. When the lock is lost (broken, or the store was away for too long) the command is stopped: exit 6. The command finds the token in STEADFOLD_LOCK_TOKEN; inside it, the same lock counts as held. When it is itself killed at once (kill -9) the command goes on, nobody renews, and another gets the lock when its time is over: what the lock guards keeps such a command out by its token alone, with `lock check`.',
  parameters: [RESOURCE],
  flags: [SHARED, TTL, waitFlag('give up after that: exit 7; never when left out'), REASON, AS],
  shares: ['session'],
  takesCommand: true,
  run: async (context, input) => {
    const argv = listOf(input, 'command')
    if (argv[0] === undefined || argv[0] === '')
      throw usage('lock with needs a command', `steadfold lock with ${quoted(needed(input, 'resource'))} -- CMD`)
    const session = await context.session('write')
    const within = outerOf(context.env['STEADFOLD_LOCK_OWNER'])
    const request = { ...asked(context, input), within, wait_ms: numberOf(input, 'wait') }
    const began = performance.now()
    const lock = await unlessStopped(context.signal, holdLock(session, request))
    if (lock === undefined) return { data: { held: false }, text: '' }
    const waited_ms = Math.round(performance.now() - began)
    return resultOf(lock, waited_ms, await runUnder(context, session, lock, argv))
  },
}

function resultOf({ resource, token }: HeldLock, waited_ms: number, done: Done): Result {
  if (done.lost !== undefined)
    throw new EngineError('LEASE_LOST', `the lock was lost while the command ran, which was stopped: ${done.lost}`, {
      hint: 'look at what it had done; then run it again',
      details: { resource, token, exit: done.exit, waited_ms },
    })
  return { data: { resource, token, exit: done.exit, waited_ms }, text: '', exit: done.exit }
}

function asked(context: Context, input: Input) {
  const { actor, signal } = context
  const resource = needed(input, 'resource')
  const ttl_ms = numberOf(input, 'ttl') ?? TTL_MS
  if (ttl_ms < LEAST_TTL_MS) throw usage(`--ttl takes at least ${duration(LEAST_TTL_MS)}, not ${duration(ttl_ms)}`)
  return {
    resource,
    mode: isOn(input, 'shared') ? ('shared' as const) : ('exclusive' as const),
    ttl_ms,
    reason: textOf(input, 'reason'),
    actor,
    signal,
    onWait: (holders: readonly string[]) => context.note(`waiting for ${resource}, which ${holders.join(', ')} holds`),
  }
}

/** Each run is a holder of its own, inside the run that started it. */
const outerOf = (owner: string | undefined) => (owner === undefined || !isOwner(owner) ? undefined : { owner })

const list: Command = {
  name: 'lock list',
  summary: 'who holds what, and who waits for it',
  examples: ['lock list', 'lock list --resource db', 'lock list --holder agent:worker-1 --json'],
  notes:
    'Nobody is listed as held when the time of a holder is over and nothing was written since: the first in the queue (0 ahead) is granted the lock by the next commit, which is its token. Any write makes that commit; who waits asks again by `lock acquire`, and `session tick` does it for all.',
  parameters: [],
  flags: [
    { name: 'resource', field: 'resource', type: 'text', value: 'RESOURCE', summary: 'only this one' },
    { name: 'holder', field: 'holder', type: 'text', value: 'ACTOR', summary: 'only of this one' },
  ],
  shares: ['session'],
  run: async (context, input) => {
    const filter = { resource: textOf(input, 'resource'), holder: textOf(input, 'holder') }
    const session = await context.session('read')
    const data = accepted(await session.run('lock.list', filter)).value
    const rows = Array.isArray(data) ? data.map((row) => membersOf(row)) : []
    return { data, text: () => listText(context, rows, session.now()) }
  },
}

function listText({ io, paint }: Context, rows: readonly Readonly<Record<string, unknown>>[], now: number): string {
  if (rows.length === 0) return 'no locks'
  const cells = rows.map((row) => [
    plain(textAt(row['resource']) ?? ''),
    textAt(row['status']) ?? '',
    textAt(row['mode']) ?? '',
    plain(textAt(row['holder']) ?? ''),
    row['status'] === 'held' ? `token ${String(row['token'])}` : `${String(row['ahead'])} ahead`,
    `${duration(Date.parse(textAt(row['until']) ?? '') - now)} left`,
    plain(textAt(row['reason']) ?? ''),
  ])
  const { lines, missing } = fit(cells, LISTED, io.width)
  return [...lines, ...leftOut(missing).map(paint.dim)].join('\n')
}

/** What names a lock, and the token that proves a hold, are whole. */
const LISTED: readonly Column[] = [
  { name: 'resource' },
  { name: 'status' },
  { name: 'mode', rank: 2 },
  { name: 'holder' },
  { name: 'token' },
  { name: 'left', rank: 3 },
  { name: 'reason', rank: 1, least: 8 },
]

const breakLock: Command = {
  name: 'lock break',
  summary: 'take a lock from its holder, whose token is worth nothing from then on',
  examples: ['lock break db --cause holder-gone', 'lock break db --cause stuck --reason "no progress for an hour"'],
  parameters: [RESOURCE],
  flags: [
    {
      name: 'cause',
      field: 'cause',
      type: 'text',
      value: 'CAUSE',
      choices: ['holder-gone', 'stuck', 'deadlock', 'emergency', 'mistake'],
      summary: 'why (needed)',
    },
    { name: 'token', field: 'token', type: 'number', value: 'N', summary: 'only the hold with this token' },
  ],
  shares: ['session', 'write'],
  run: async (context, input) => {
    const cause = textOf(input, 'cause')
    const resource = needed(input, 'resource')
    if (cause === undefined)
      throw usage('why is it broken?', `steadfold lock break ${quoted(resource)} --cause holder-gone`)
    const session = await context.session('write')
    const request = { resource, cause, token: numberOf(input, 'token'), note: textOf(input, '--reason') }
    return written(context, accepted(await session.run('lock.break', request, context.options)))
  },
}

export const lockCommands: readonly Command[] = [acquire, under, list, breakLock]
