/** Fills an empty workspace with something to look at. */
import { useReadOnly } from '../api/daemon.ts'
import { loadSample } from '../api/sample.ts'
import { go, to } from '../route/route.ts'
import { ActionButton } from './action.tsx'

export const SampleButton = () =>
  useReadOnly() === undefined ? (
    <ActionButton run={async () => go(to(['session', await loadSample(), 'timeline']))}>
      Load a sample session
    </ActionButton>
  ) : null
