/* `execution.workflows.active_sprints`: with what their tasks say of them. */
import type { View } from '../../kernel/document/view.ts'
import { plansOf } from './plans.ts'
import { showSprint } from './views.ts'

export const activeSprints: View = {
  derive: (state) => plansOf(state).active_sprints.map((sprint) => showSprint(state, sprint)),
}
