/* What was handed in and waits in the `.steadfold` folder, into the sessions. */
import type { Adopted } from '../drivers/files/intake.ts'
import { spoolWaits } from '../drivers/files/spool-waits.ts'
import { host } from '../drivers/host/host.ts'
import { asError, EngineError } from '../kernel/error.ts'
import type { Workspace } from '../kernel/workspace.ts'

/** Commits what shells have handed in. Where that fails the facts stay, and reading goes on. */
export async function takeInSpool(workspace: Workspace, root: string): Promise<void> {
  const warn = (error: unknown) => workspace.kernel.warn(`facts stay in ${root}/spool: ${asError(error).message}`)
  try {
    if (!spoolWaits(root, host.now())) return
  } catch (error) {
    // It is somebody else's where a shell or a hook of another user made it. A link is no such thing.
    if (error instanceof EngineError && error.code === 'WORKSPACE_UNSAFE') throw error
    warn(error)
    return
  }
  await takeFrom(workspace, root).catch(warn)
}

/** Throws where the store fails; the facts stay then. */
export async function takeFrom(workspace: Workspace, root: string, adopted?: Adopted): Promise<void> {
  const { Spool, takeIn } = await import('../drivers/files/intake.ts')
  const { rejected } = await takeIn(workspace, new Spool({ root, now: host.now }), adopted)
  for (const { file, reason } of rejected)
    workspace.kernel.warn(`${file} was put aside in ${root}/spool/rejected: ${reason}`)
}
