/** Fills an empty workspace with something to look at. */
import { loadSample } from '../api/sample.ts'
import { go, to } from '../route/route.ts'
import { ActionButton } from './action.tsx'

export const SampleButton = () => (
  <ActionButton run={async () => go(to(['session', await loadSample(), 'timeline']))}>
    Load a sample session
  </ActionButton>
)
