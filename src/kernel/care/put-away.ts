/** Archived sessions, for who looks for one among the others. */
import { EngineError } from '../error.ts'
import { quoted } from '../text/shell-word.ts'
import type { Workspace } from '../workspace.ts'
import { lost, remains, remainsOf } from './remains.ts'

/** How many there are; none where the store keeps no archive. */
export async function countArchived(workspace: Workspace): Promise<number> {
  let count = 0
  const archived = await orNothing(workspace.archived())
  if (archived !== undefined) for await (const _ of archived.kernel.log.list()) count++
  return count
}

/** Where `error` says that there is no such session, the answer says where it is, if it was put away. */
export async function orArchived(workspace: Workspace, named: string | undefined, error: unknown): Promise<unknown> {
  return error instanceof EngineError && error.code === 'SESSION_NOT_FOUND' ? lookedFor(workspace, named, error) : error
}

async function lookedFor(workspace: Workspace, named: string | undefined, missing: EngineError): Promise<EngineError> {
  if (named === undefined) {
    const [gone] = await remains(workspace.kernel)
    if (gone !== undefined) return lost(gone)
    const count = await countArchived(workspace)
    return count === 0
      ? missing
      : new EngineError(missing.code, `${missing.message}; ${count} archived`, {
          hint: `steadfold session list --archived, or ${missing.hint ?? 'steadfold session create NAME'}`,
        })
  }
  const archived = await orNothing(workspace.archived())
  // A read may name a point in the same word.
  const found =
    (await orNothing(archived?.session(named))) ?? (await orNothing(archived?.session(named.replace(/(?<=.)@.*/, ''))))
  if (found === undefined) {
    const gone = await remainsOf(workspace.kernel, named)
    return gone === undefined ? missing : lost(gone)
  }
  const given: unknown = found.get('$.session.name')
  const name = typeof given === 'string' ? given : found.id
  await found.close()
  const word = quoted(name)
  return new EngineError(missing.code, `session "${name}" is archived`, {
    hint: `steadfold session show ${word} --archived, steadfold log --session ${word} --archived; steadfold session restore ${word} --archived brings it back`,
    details: { id: found.id, name },
  })
}

async function orNothing<T>(asked: Promise<T> | undefined): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof EngineError) return undefined
    throw error
  }
}
