import * as z from 'zod/mini'
import { text } from '../../kernel/state/shapes.ts'

/** Whatever users put there. */
export const dataSchema = z.record(text, z.unknown())
