/* What a session says of itself beside what is stored. */
import type { View } from '../../kernel/document/view.ts'
import { sessionOf } from './session.ts'

/** `updated_at` and `lifecycle.last_activity`: the time of the last commit. */
export const lastCommit: View = { derive: (_state, { at }) => (at === '' ? undefined : at) }

/** `lifecycle.expiry`: left out where there is none. */
export const expiry: View = { derive: (state) => sessionOf(state)?.lifecycle.expiry ?? undefined }

/** `sync`: how it stands with the place it was compared with last; left out where there was none. */
export const sync: View = {
  wants: { store: true },
  derive: (_state, { store, seq }) => {
    const last = store?.synced?.at(-1)
    if (last === undefined) return undefined
    const { at, status, error, remote, url, sealed } = last
    const backend = url.startsWith('s3:') ? 's3' : url.startsWith('git:') ? 'git' : 'folder'
    const sync_status = status === 'success' && last.seq < seq ? 'pending' : status
    return { last_sync: at, sync_status, sync_error: error, remote, storage_backend: backend, encrypted: sealed }
  },
}

/** `user_context.workspace_path`: as whoever began the session said, else the folder it lies in. */
export const workspacePath: View = {
  wants: { store: true },
  derive: (state, { store }) => {
    const said = sessionOf(state)?.user_context['workspace_path']
    return typeof said === 'string' ? said : (store?.folder ?? '')
  },
}
