import type { View } from '../../kernel/document/view.ts'
import { dependencyDocument } from './views.ts'

/** `communication.coordination.dependencies`. */
export const dependencies: View = { derive: dependencyDocument }
