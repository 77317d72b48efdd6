/** References of all modules: what a state names and does not hold. Loaded by those who look. */
import { references as agents } from './domain/agents/references.ts'
import { references as conversation } from './domain/conversation/references.ts'
import { references as locks } from './domain/locks/references.ts'
import { references as messages } from './domain/messages/references.ts'
import { references as organization } from './domain/organization/references.ts'
import { references as plans } from './domain/plans/references.ts'
import { keeps as keptBySteps, references as steps } from './domain/steps/references.ts'
import { keeps as keptBySupervision, references as supervision } from './domain/supervision/references.ts'
import { references as tasks } from './domain/tasks/references.ts'
import { references as turns } from './domain/turns/references.ts'
import { keeps as keptByWorkflow, references as workflow } from './domain/workflow/references.ts'
import type { Tree } from './kernel/state/module.ts'
import type { Dangling, Keeps, KeptAt, References } from './kernel/state/references.ts'

const LOOKS: readonly References[] = [
  organization,
  agents,
  tasks,
  plans,
  locks,
  messages,
  workflow,
  steps,
  supervision,
  turns,
  conversation,
]

export const danglingIn = (root: Readonly<Tree>): readonly Dangling[] => LOOKS.flatMap((look) => look(root))

const KEEPS: readonly Keeps[] = [keptBySteps, keptBySupervision, keptByWorkflow]

/** Blobs that a state names. What adapters and programs keep in data says in no certain way which they are. */
export const keptIn = (root: Readonly<Tree>): readonly KeptAt[] => KEEPS.flatMap((look) => look(root))
