import * as z from 'zod/mini'
import { text } from '../../kernel/state/shapes.ts'

export const outputsSchema = z.record(text, text)
