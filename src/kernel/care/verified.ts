/* What a check of the logs came to, as the command line and HTTP tell it. */
import { isShut, nameOf } from '../about-session.ts'
import type { Fragment } from '../log/chain.ts'
import { unlessGone } from '../names.ts'
import type { Cut } from '../ports.ts'
import type { Dangling } from '../state/references.ts'
import type { Workspace } from '../workspace.ts'
import { lostBlobs, type LostBlob } from './blobs.ts'
import { remains, remainsOf } from './remains.ts'
import { unread, verifyRemains, verifySession, type CheckpointState, type Met, type Verification } from './verify.ts'

export interface Verified {
  /** Of the session; its id where its log cannot be opened. */
  readonly name: string
  readonly result: Verification
  /** Its log lies in files, and can be repaired there; rows, messages and the archive are as their keeper has them. */
  readonly inFiles: boolean
  /** What helps where its files cannot be read. */
  readonly hint?: string | undefined
}

/** Every session, also one whose log is gone. */
export async function* verifiedAll(workspace: Workspace, deep: boolean): AsyncGenerator<Verified> {
  const gone = await remains(workspace.kernel)
  for await (const id of workspace.kernel.log.list()) {
    if (gone.includes(id)) continue
    const each = await verified(workspace, id, deep).catch(unlessGone)
    if (each !== undefined) yield each
  }
  for (const id of gone) yield await without(workspace, id)
}

/** Found without opening it where possible, since it may be damaged; `find` answers with the id that a name stands for. */
export async function verifiedOne(
  workspace: Workspace,
  named: string,
  deep: boolean,
  find: () => Promise<string>,
): Promise<Verified> {
  const gone = await remainsOf(workspace.kernel, named)
  if (gone !== undefined) return without(workspace, gone)
  return verified(workspace, (await workspace.kernel.log.exists(named)) ? named : await find(), deep)
}

async function verified(workspace: Workspace, id: string, deep: boolean): Promise<Verified> {
  try {
    const result = await verifySession(workspace.kernel, id, deep)
    const { name, lost } = await lookInto(workspace, id, deep)
    const whole = lost.length === 0 ? result : { ...result, ok: false, lost }
    return { result: whole, name, inFiles: inFiles(workspace) }
  } catch (error) {
    if (!isShut(error)) throw error
    return { result: unread(id, error), name: id, inFiles: inFiles(workspace), hint: error.hint }
  }
}

const without = async (workspace: Workspace, id: string): Promise<Verified> => ({
  name: id,
  result: await verifyRemains(workspace.kernel, id),
  inFiles: inFiles(workspace),
})

const inFiles = ({ kernel }: Workspace): boolean => kernel.log.repair !== undefined

/** A log that cannot even be opened goes by its id. What is looked for `deep` was found by that. */
async function lookInto(workspace: Workspace, id: string, deep: boolean) {
  const session = await workspace.session(id).catch(() => undefined)
  if (session === undefined) return { name: id, lost: [] }
  try {
    return { name: nameOf(session), lost: deep ? [] : await lostBlobs(workspace.kernel, id, session.stored, false) }
  } finally {
    await session.close()
  }
}

interface Place {
  /** Null where the log lies in no file. */
  readonly file: string | null
  readonly segment: number
  /** Of the segment. */
  readonly byte: number
  readonly bytes: number
}

export interface VerifiedData {
  readonly session: string
  readonly name: string
  readonly seq: number
  readonly ok: boolean
  readonly torn: number
  readonly races: number
  readonly checkpoint: CheckpointState
  readonly fragments: readonly (Place & Pick<Met, 'altered' | 'last'>)[]
  readonly error?: Place & {
    readonly code: string
    readonly reason: string
    readonly seq: number
    readonly hint?: string
  }
  readonly dangling?: readonly Dangling[]
  readonly lost?: readonly LostBlob[]
  readonly untold?: readonly Cut[]
}

export function verifiedData({ name, result, inFiles, hint }: Verified): VerifiedData {
  const placeOf = ({ segment, offset: byte, bytes }: Fragment): Place => ({
    file: inFiles ? fileOf(result.session, segment) : null,
    segment,
    byte,
    bytes,
  })
  const { session, seq, ok, torn, races, checkpoint, fragments, error, dangling, lost, untold } = result
  return {
    session,
    name,
    seq,
    ok,
    torn,
    races,
    checkpoint,
    fragments: fragments.map((each) => ({
      ...placeOf(each),
      ...(each.altered && { altered: each.altered }),
      ...(each.last && { last: each.last }),
    })),
    ...(error === undefined
      ? {}
      : {
          error: {
            code: error.code,
            reason: error.reason,
            ...placeOf(error),
            seq: error.seq,
            ...(hint === undefined ? {} : { hint }),
          },
        }),
    ...(dangling === undefined ? {} : { dangling }),
    ...(lost === undefined ? {} : { lost }),
    ...(untold === undefined ? {} : { untold }),
  }
}

const fileOf = (session: string, segment: number): string =>
  `.steadfold/sessions/${session}/log/${String(segment).padStart(20, '0')}.jsonl`
