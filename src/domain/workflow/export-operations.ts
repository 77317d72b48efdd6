import * as z from 'zod/mini'
import type { Tree } from '../../kernel/module.ts'
import { readOperation } from '../../kernel/operation.ts'
import type { SupervisorRecord } from '../supervision/events.ts'
import { exportCheckpoint } from './export.ts'

/** Who supervises is known to another module, whether it was told or is a state that `run` works off. */
export const exportOperations = (supervisorsOf: (root: Readonly<Tree>) => readonly SupervisorRecord[]) => [
  readOperation({
    name: 'workflow.export',
    summary: 'The workflow as a checkpoint file of version 2.1',
    input: () => z.object({}),
    read: (state, _input, { now }) => exportCheckpoint(state, supervisorsOf(state), now),
  }),
]
