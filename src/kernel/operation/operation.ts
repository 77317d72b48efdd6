import type * as z from 'zod/mini'
import { accept, type Accepted, type Decision, type Refusal } from '../decision.ts'
import type { ValueChange } from '../history/value-change.ts'
import type { Event } from '../log/commit.ts'
import type { QueryNode } from '../path/query.ts'
import type { TokenCounter } from '../ports.ts'
import type { Tree } from '../state/module.ts'

export interface Context {
  /** Milliseconds since 1970. */
  readonly now: number
  /** The same moment as the commit will carry it. */
  readonly at: string
  readonly actor: string
  /** The sequence number the commit will get: a fencing token that only grows. */
  readonly seq: number
  /** Id of the log it will stand in; the state of a copy says another, until it is told. */
  readonly log: string
  readonly newId: () => string
}

/** What a read may know beside the state. */
export interface Reading extends Pick<Context, 'now'> {
  /** Of the workspace; the domain reads only what it put there. */
  readonly settings?: { readonly scopeRules: readonly unknown[] }
}

/** A text as it lies beside the log. */
export interface Kept {
  readonly sha256: string
  readonly bytes: number
}

/** Large texts of a session, kept as blobs beside its log, and how many tokens a text has. */
export interface Texts {
  /** Null where the store keeps no blobs. */
  keep(text: string): Promise<Kept | null>
  /** Undefined where it is not kept. */
  read(sha256: string): Promise<string | undefined>
  /** JSON as it may be kept, in a blob or in the state: without secrets, and JSON still. `told`: the next commit says what is gone. */
  clean(json: string, told: boolean): string
  readonly tokens: () => Promise<TokenCounter>
}

/** The past of a session, for operations whose input depends on it. */
export interface History {
  readonly seq: number
  /** It goes on with the session, where no point was asked for: what is answered of it is copied. */
  readonly state: Readonly<Tree>
  /** A point in time (`@`, `@-3`, `17`, a mark, `2h`, an ISO time) as a sequence number. */
  resolve(point: string): Promise<number>
  stateAt(seq: number): Promise<Readonly<Tree>>
  /** What stands at each path of the document, all at the same commit; lists of what they find for queries. */
  bulk(paths: readonly string[]): Promise<Readonly<Record<string, unknown>>>
  /** What an RFC 9535 JSONPath finds. */
  nodes(jsonpath: string): Promise<readonly QueryNode[]>
  /** Every value a path had, oldest first. */
  values(path: string): AsyncIterable<ValueChange>
  readonly texts: Texts
}

/** One thing a person or an agent can ask for. CLI, HTTP, MCP and library calls are made from this list. */
export interface Operation {
  /** `noun.verb` */
  readonly name: string
  readonly summary: string
  readonly kind: 'write' | 'read'
  readonly input: z.ZodMiniObject
  /** Fields that a command line takes without a flag, in this order. */
  readonly positional: readonly string[]
  readonly decide: (state: Readonly<Tree>, input: unknown, context: Context) => Decision
  /** Completes the input from the past before `decide`, which then holds only if nothing was written in between. */
  readonly prepare: ((history: History, input: unknown) => Promise<unknown>) | undefined
  /** Whether what `prepare` makes of this input holds whatever is written in between. */
  readonly lasts: (input: unknown) => boolean
  /** What the caller gets besides the events; a function of the events alone, so that a repeated key gives it again. */
  readonly answer: (events: readonly Event[]) => unknown
  /** Leaves a checkpoint behind before it answers. */
  readonly checkpoint: boolean
  /** Commits what time brought about, also when it has nothing of its own to add. */
  readonly tells: boolean
  /** For reads. */
  readonly read: (state: Readonly<Tree>, input: unknown, context: Reading) => unknown
  /** Instead of `read`, for reads that need the past or a query; what it throws with an exit status of 4 is a refusal. */
  readonly look: ((history: History, input: unknown) => Promise<unknown>) | undefined
}

/** The operations by name. Each noun is loaded on use: a command that only reads does not pay for schemas. */
export interface Catalogue {
  readonly nouns: readonly string[]
  get(name: string): Operation | undefined | Promise<Operation | undefined>
  all(): Promise<readonly Operation[]>
}

/** What the type of an operation remembers of its definition, for typed calls. */
export interface Typed<Name extends string, Input, Value = unknown> {
  readonly name: Name
  /** Never there, like the next: they only carry types. */
  readonly takes?: Input
  readonly gives?: Value
}

interface WriteDefinition<Name extends string, Schema extends z.ZodMiniObject, Body extends Event, Value> {
  readonly name: Name
  readonly summary: string
  /** Called once, on first use: most operations of a module are not asked for by a command. */
  readonly input: () => Schema
  readonly positional?: readonly (keyof z.output<Schema> & string)[]
  readonly decide: (state: Readonly<Tree>, input: z.output<Schema>, context: Context) => Accepted<Body> | Refusal
  readonly prepare?: (history: History, input: z.output<Schema>) => Promise<z.output<Schema>>
  readonly lasts?: (input: z.output<Schema>) => boolean
  readonly answer?: (events: readonly Body[]) => Value
  readonly checkpoint?: true
  readonly tells?: true
}

interface ReadDefinition<Name extends string, Schema extends z.ZodMiniObject, Value> {
  readonly name: Name
  readonly summary: string
  /** Called once, on first use: most operations of a module are not asked for by a command. */
  readonly input: () => Schema
  readonly positional?: readonly (keyof z.output<Schema> & string)[]
  readonly read?: (state: Readonly<Tree>, input: z.output<Schema>, context: Reading) => Value
  readonly look?: (history: History, input: z.output<Schema>) => Promise<Value>
}

const nothing = () => undefined
const never = () => false

export function remembered<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

/** An operation that adds a commit. `execute` calls `decide` only with what `input` has parsed. */
export function writeOperation<
  const Name extends string,
  Schema extends z.ZodMiniObject,
  Body extends Event,
  Value = undefined,
>(definition: WriteDefinition<Name, Schema, Body, Value>): Operation & Typed<Name, z.input<Schema>, Value> {
  // Input types meet again in execute, which parses with the same schema.
  const decide = definition.decide as Operation['decide']
  const prepare = definition.prepare as Operation['prepare']
  const lasts = (definition.lasts ?? never) as Operation['lasts']
  const answer = (definition.answer ?? nothing) as Operation['answer']
  const schema = remembered(definition.input)
  return {
    kind: 'write',
    positional: [],
    checkpoint: false,
    tells: false,
    read: nothing,
    look: undefined,
    ...definition,
    get input() {
      return schema()
    },
    decide,
    prepare,
    lasts,
    answer,
  }
}

export function readOperation<const Name extends string, Schema extends z.ZodMiniObject, Value>(
  definition: ReadDefinition<Name, Schema, Value>,
): Operation & Typed<Name, z.input<Schema>, Value> {
  // As above.
  const read = (definition.read ?? nothing) as Operation['read']
  const look = definition.look as Operation['look']
  const schema = remembered(definition.input)
  return {
    kind: 'read',
    positional: [],
    answer: nothing,
    checkpoint: false,
    tells: false,
    decide: () => accept(),
    prepare: undefined,
    lasts: never,
    ...definition,
    get input() {
      return schema()
    },
    read,
    look,
  }
}
