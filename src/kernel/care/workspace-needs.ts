/* What needs a person and is of no session that can be looked at. */
import type { Workspace } from '../workspace.ts'
import type { Need } from './inbox.ts'
import { needOf, type Shut } from './shut.ts'
import { strayNeeds } from './strays.ts'

/** `shut` are those that cannot be. */
export async function workspaceNeeds(workspace: Workspace, shut: readonly Shut[]): Promise<readonly Need[]> {
  const now = workspace.kernel.host.now()
  return [...shut.map((each) => needOf(each, now)), ...(await strayNeeds(workspace))]
}
