/*
 * An import is carried out.
 *
 *   originals ──► blobs      plan ──► operations, each under a key of the originals ──► a record of what came of it ──► ending
 *
 * I1. The same files again change nothing: every operation is known by its key, and the session also by a name that it gave up.
 * I2. One that was broken off is gone on with.
 * I3. What a rule refuses is told, and the rest goes on.
 * I4. A session that had ended or was paused does so here, last of all; not one that was there before, nor one of which
 *     somebody said otherwise meanwhile.
 * I5. Limits, pools and preferences of a file are for a session that begins with it; one that was there before keeps its own.
 * I6. Of a list that has grown what is new is added; what is there stays as it is, and is told.
 */
import { nameOf, only } from '../about-session.ts'
import type { Refusal } from '../decision.ts'
import { EngineError } from '../error.ts'
import { given, membersOf } from '../json/members.ts'
import { idOfRenamed, unlessGone } from '../names.ts'
import type { Kept } from '../operation/operation.ts'
import { keepBlob } from '../operation/texts.ts'
import type { Session } from '../session.ts'
import type { Workspace } from '../workspace.ts'
import type { Detected } from './importer.ts'

export interface ImportOptions {
  /** Into this one; else into one of that name, which is begun when it is missing. */
  readonly session?: Session | undefined
  readonly name: string
  /** The bytes of each source, in their order. */
  readonly bytes: readonly Uint8Array[]
  readonly actor?: string | undefined
  readonly reason?: string | undefined
}

export interface ImportOutcome {
  readonly session: Session
  /** Whether all of it was here before. */
  readonly repeated: boolean
  readonly originals: readonly (Kept & { readonly path: string })[]
  /** What was taken in, and does not count. */
  readonly quarantined: number
  /** Names of what was there already, and stays as it is. */
  readonly kept: readonly string[]
  readonly refused: readonly RefusedPart[]
}

interface RefusedPart {
  readonly op: string
  readonly code: string
  readonly message: string
  /** What to do next. */
  readonly hint?: string
}

interface Came {
  quarantined: number
  readonly kept: string[]
  readonly refused: RefusedPart[]
}

const RECORDS = '$.data.imports'
const MOST_SAID = 200
const ENDED = 'SESSION_NOT_WRITABLE'
/** I4: how the session stands by now leaves no way there. */
const OTHERWISE: ReadonlySet<string> = new Set([ENDED, 'LIFECYCLE_INVALID'])

export async function carryOut(workspace: Workspace, plan: Detected, options: ImportOptions): Promise<ImportOutcome> {
  const id = idOf(workspace, options.bytes)
  const session = options.session ?? (await sessionFor(workspace, plan, options, id))
  const before = session.seq
  const originals = await originalsOf(workspace, session, plan, options.bytes)
  const { actor, reason } = options
  const run = (op: string, input: unknown, step: string | number) =>
    session.run(op, input, { actor, reason, key: `import:${id}:${step}` })
  const record = { kind: plan.kind, originals }
  const path = placeOf(id)
  const earlier = earlierOf(session.get(path))
  refuseWrong(await run('state.set', { path, value: { ...record, status: 'begun' } }, 'begin'))
  const came: Came = { quarantined: 0, kept: [], refused: [] }
  const isNew = await isBegunBy(session, id)
  // Behind the others, so that their steps keep their numbers.
  const requests = isNew ? [...plan.requests, ...(plan.settings ?? [])] : plan.requests
  for (const [step, { op, input, unless, brings = [] }] of requests.entries()) {
    const answer = await run(op, input, step)
    if (answer.kind !== 'refused') count(came, answer.value, brings)
    else if (answer.code === ENDED && earlier !== undefined) return { session, repeated: true, originals, ...earlier }
    else if (answer.code !== unless) came.refused.push(refusedBy(op, answer))
  }
  const rows = plan.rows.map(({ becomes = null, ...row }) => ({ ...row, becomes }))
  const first = <T>(all: readonly T[]) => all.slice(0, MOST_SAID)
  const { problems } = plan
  const { quarantined, refused, kept } = came
  const said = { rows, problems: first(problems), refused: first(refused), kept: first(kept), quarantined }
  refuseWrong(await run('state.set', { path, value: { ...record, status: 'done', ...said } }, 'done'))
  const { ending } = plan
  if (ending !== undefined && isNew) {
    const answer = await run(ending.op, ending.input, 'ending')
    if (answer.kind === 'refused' && !OTHERWISE.has(answer.code)) refuseWrong(answer)
  }
  return { session, repeated: session.seq === before, originals, ...came }
}

/** The name of the session that these files go into. Writes nothing; throws NAME_TAKEN where another session has it. */
export async function nameFor(
  workspace: Workspace,
  { name, bytes }: Pick<ImportOptions, 'name' | 'bytes'>,
): Promise<string> {
  const { known, free } = await placeFor(workspace, name, idOf(workspace, bytes))
  await known?.close()
  return known === undefined ? free : nameOf(known)
}

function idOf({ kernel: { host } }: Workspace, bytes: ImportOptions['bytes']): string {
  return host.sha256(bytes.map((each) => host.sha256(each)).join()).slice(0, 16)
}

async function sessionFor(workspace: Workspace, plan: Detected, options: ImportOptions, id: string): Promise<Session> {
  const { actor, reason } = options
  const { known, free } = await placeFor(workspace, options.name, id)
  return known ?? workspace.createSession({ name: free, goal: plan.goal, actor, reason, key: beginning(id) })
}

/** Where these files went before; else one of that name, or, where another import has that, one with a part of the id. */
async function placeFor(
  workspace: Workspace,
  name: string,
  id: string,
): Promise<{ readonly known: Session | undefined; readonly free: string }> {
  const own = `${name}-${id.slice(0, 6)}`
  const [second, first] = [await existing(workspace, own, id), await existing(workspace, name, id)]
  const isImport = first?.get(RECORDS) !== undefined
  const there = (await isOf(second, id)) ? second : (await isOf(first, id)) ? first : undefined
  for (const session of [second, first]) if (session !== there) await session?.close()
  const known = there ?? (isImport ? await begunAs(workspace, [name, own], id) : undefined)
  if (known === undefined && first !== undefined && !isImport)
    throw new EngineError('NAME_TAKEN', `there is a session "${name}" already, which no import has made`, {
      hint: `--name OTHER for another one, or --session ${name} to import into it`,
    })
  return { known, free: isImport ? own : name }
}

/** I2: it may have been broken off before it said what it is. */
async function isOf(session: Session | undefined, id: string): Promise<boolean> {
  if (session === undefined) return false
  return session.get(placeOf(id)) !== undefined || (session.seq === 1 && isBegunBy(session, id))
}

async function isBegunBy(session: Session, id: string): Promise<boolean> {
  for await (const { key } of session.commits()) return key === beginning(id)
  return false
}

/** Theirs that began under one of these names, gave it up, and is led to by it no more: another one has it. */
async function begunAs(workspace: Workspace, names: readonly string[], id: string): Promise<Session | undefined> {
  for await (const session of workspace.sessions(undefined, () => undefined)) {
    const name = (await isOf(session, id)) ? await session.get('$.session.name', { at: 1 }) : undefined
    if (typeof name === 'string' && names.includes(name)) return session
    await session.close()
  }
  return undefined
}

/** What was told when all of it had been taken over: a session that has ended answers no operation that a rule refused then. */
function earlierOf(record: unknown): Pick<ImportOutcome, keyof Came> | undefined {
  // Written by `carryOut`, and by nobody else.
  const earlier = record as
    | (Partial<ImportOutcome> & Pick<ImportOutcome, 'refused' | 'quarantined'> & { readonly status: string })
    | undefined
  if (earlier?.status !== 'done') return undefined
  const { refused, quarantined, kept = [] } = earlier
  return { refused, quarantined, kept }
}

const refusedBy = (op: string, { code, message, hint }: Refusal): RefusedPart => ({
  op,
  code,
  message,
  ...given({ hint }),
})

/** An operation that takes in what others made answers with what it put aside, and what it added of all that it was brought. */
function count(came: Came, value: unknown, brings: readonly string[]): void {
  const told = membersOf(value)
  if (Array.isArray(told['quarantined'])) came.quarantined += told['quarantined'].length
  const added = new Set(Array.isArray(told['added']) ? told['added'] : [])
  came.kept.push(...brings.filter((name) => !added.has(name)))
}

const placeOf = (id: string): string => `${RECORDS}["${id}"]`
const beginning = (id: string): string => `import:${id}:session`

/** One that gave the name up is meant by these files alone. */
async function existing(workspace: Workspace, name: string, id: string): Promise<Session | undefined> {
  try {
    return await workspace.session(name)
  } catch (error) {
    const renamed = idOfRenamed(error)
    if (renamed === undefined) return unlessGone(error)
    return only(await workspace.session(renamed).catch(unlessGone), (session) => isOf(session, id))
  }
}

async function originalsOf(
  workspace: Workspace,
  session: Session,
  { sources }: Detected,
  bytes: readonly Uint8Array[],
): Promise<ImportOutcome['originals']> {
  const all = []
  for (const [at, { path }] of sources.entries()) {
    const blob = await keepBlob(workspace.kernel, session.id, bytes[at] ?? new Uint8Array())
    if (blob !== null) all.push({ path, ...blob })
  }
  return all
}

function refuseWrong(answer: { readonly kind: 'accepted' } | Refusal): void {
  if (answer.kind === 'refused')
    throw new EngineError(answer.code, answer.message, answer.hint === undefined ? {} : { hint: answer.hint })
}
