/*
 * What the input of an operation is made of. Programs that start fast have it written down when they are built
 * (scripts/written-shapes.mjs): making it of the schemas takes longer than most commands.
 */
import { toJSONSchema } from 'zod/v4/core'
import type { Operation } from '../../../kernel/operation/operation.ts'

/** Of JSON Schema, what a command line needs to know. */
export interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly description?: string
  readonly items?: Schema
}

/** A member of the input. */
export interface Shape {
  readonly field: string
  readonly schema: Schema
  readonly required: boolean
}

interface Whole {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

export function shapesOf({ input }: Operation): readonly Shape[] {
  // The JSON Schema of an object schema has these members.
  const schema = toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as Whole
  const required = new Set(schema.required ?? [])
  return Object.entries(schema.properties ?? {}).map(([field, each]) => ({
    field,
    schema: needed(each),
    required: required.has(field),
  }))
}

function needed({ type, enum: choices, description, items }: Schema): Schema {
  return {
    ...(type === undefined ? {} : { type }),
    ...(choices === undefined ? {} : { enum: choices }),
    ...(description === undefined ? {} : { description }),
    ...(items === undefined ? {} : { items: needed(items) }),
  }
}
