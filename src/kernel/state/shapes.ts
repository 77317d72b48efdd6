/* Schemas of what is the same in the slices of many modules. */
import * as z from 'zod/mini'

export const text = z.string()
/** A moment as commits carry it: ISO 8601, UTC. */
export const moment = z.iso.datetime()
/** Milliseconds since 1970. */
export const millis = z.number()
export const flag = z.boolean()
export const texts = z.array(text)
export const count = z.int().check(z.minimum(0))
export const positive = z.int().check(z.minimum(1))
/** From 0 to 1. */
export const share = z.number().check(z.minimum(0), z.maximum(1))
export const amount = z.number().check(z.minimum(0))
export const sha256 = z.string().check(z.regex(/^[a-f0-9]{64}$/))

/** See heap.ts. */
export const heap = z.object({
  slots: z.record(text, z.tuple([z.number(), text])),
  places: z.record(text, count),
  size: count,
})

/** Of a process on some machine, told apart from a later one with the same pid. */
export const processRef = z.object({
  host: text,
  machine: z.optional(text),
  boot_id: text,
  pid_namespace: text,
  pid: z.int(),
  started: text,
})

export const failureClass = z.enum(['transient', 'terminal', 'timeout', 'unknown'])

/** What is handed on of a worker's report. */
export const report = z.object({
  path: z.nullable(text),
  kept: z.nullable(z.object({ sha256, bytes: count })),
  title: text,
  summary: text,
  key_findings: texts,
  by_rule: z.array(z.enum(['title', 'summary', 'key_findings'])),
})

/** A member that may be left out, and is never undefined. */
export const maybe = z.exactOptional

/** Members by ids of one form. */
export const byId = <Member extends z.ZodMiniType>(pattern: RegExp, member: Member) =>
  z.record(z.string().check(z.regex(pattern)), member)
