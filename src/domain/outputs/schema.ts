import * as z from 'zod/mini'
import { text } from '../../kernel/shapes.ts'

export const outputsSchema = z.record(text, text)
