/* What is known elsewhere, on its way into a session: an importer reads a file and says what becomes of it. */

/** A file, or what was joined of several. */
export interface Source {
  /** As it was named, for people. */
  readonly path: string
  readonly text: string
  /** Of a JSON file; undefined where the text is something else. */
  readonly value: unknown
}

export interface ImportRow {
  /** As the file calls it: `tasks`. */
  readonly what: string
  readonly count: number
  /** What that is here; undefined where it stays in the kept original alone. */
  readonly becomes: string | undefined
}

export interface ImportPlan {
  /** Name of the session when nobody names it. Files of one group go into one session. */
  readonly group: string
  readonly goal?: string | undefined
  readonly rows: readonly ImportRow[]
  /** What is wrong with the file, or could not be read, by name. */
  readonly problems: readonly string[]
  /** What makes the file break its own rules: it is read only when that is allowed. */
  readonly violations?: readonly string[]
  /** What cannot be read at all, by field. */
  readonly unreadable?: readonly string[]
  /** Why nothing of it becomes state of a session; undefined where something does. */
  readonly stateless?: string
  /** Operations, in order. */
  readonly requests: readonly ImportRequest[]
  /** What a session is set to that begins with it; one that was there before keeps its own. */
  readonly settings?: readonly ImportRequest[] | undefined
  /** What ends or pauses a session that begins with it, as the one that it tells of was; behind everything else. */
  readonly ending?: ImportRequest | undefined
}

export interface ImportRequest {
  readonly op: string
  readonly input: unknown
  /** The code of a refusal which says no more than that it is there already. */
  readonly unless?: string
  /** Names of what it brings, all at once: its answer says which it `added`, and the others were there. */
  readonly brings?: readonly string[]
}

/** One kind of file. It never throws on what `detects` has let through. */
export interface Importer {
  readonly kind: string
  readonly summary: string
  readonly detects: (source: Source) => boolean
  readonly read: (source: Source) => ImportPlan
}

/** Several where they only mean something together. */
export interface Detected extends ImportPlan {
  readonly kind: string
  readonly sources: readonly Source[]
}
