/** Parts of the inputs of operations. */
import * as z from 'zod/mini'
import { mayName } from '../../kernel/redact/placeholder.ts'

const LONGEST_TEXT = 100_000
const LONGEST_NAME = 200

export const text = z.string().check(
  z.maxLength(LONGEST_TEXT),
  z.refine((value: unknown) => typeof value === 'string' && value.isWellFormed(), 'is not valid Unicode'),
)

const name = z
  .string()
  .check(z.minLength(1), z.maxLength(LONGEST_NAME), z.refine(mayName, 'is a name that nothing may have'))

/** An id, or the only beginning of one. */
export const conversation = name

/** An actor, a public key, or a name that the conversation knows. */
export const agent = name

export const newName = z.string().check(
  z.minLength(1),
  z.maxLength(LONGEST_NAME),
  z.regex(/^[\w.:-]+$/, 'is made of A-Z a-z 0-9 _ . : -'),
  z.refine((id: unknown) => typeof id === 'string' && !/^[0-9a-f]{64}$/.test(id), 'looks like the id of an event'),
  z.refine(mayName, 'is a name that nothing may have'),
)
