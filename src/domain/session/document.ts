/* What a session says of itself beside what is stored. */
import type { View } from '../../kernel/view.ts'
import { sessionOf } from './session.ts'

/** `updated_at` and `lifecycle.last_activity`: the time of the last commit. */
export const lastCommit: View = { derive: (_state, { at }) => (at === '' ? undefined : at) }

/** `lifecycle.expiry`: left out where there is none. */
export const expiry: View = { derive: (state) => sessionOf(state)?.lifecycle.expiry ?? undefined }

/** `user_context.workspace_path`: as whoever began the session said, else the folder it lies in. */
export const workspacePath: View = {
  wants: { store: true },
  derive: (state, { store }) => {
    const said = sessionOf(state)?.user_context['workspace_path']
    return typeof said === 'string' ? said : (store?.folder ?? '')
  },
}
