/*
 * What the kernel asks of the world. Drivers implement these; compose.ts hands them in.
 *
 *   session ──append──► Log ──► bytes kept untouched
 *           ◄──read──── Log
 */

/** Where a reader stands: behind the commit `seq` with `hash`, at `offset` bytes of the segment named by its first seq. */
export interface Position {
  readonly seq: number
  readonly hash: string
  /** First sequence number of the segment. */
  readonly segment: number
  /** Bytes into the segment, just behind the line of commit `seq`. */
  readonly offset: number
}

/**
 * Raw bytes of a log from `offset` of `segment` on: whole and unfinished lines, lost races and torn fragments included.
 * Good until the next chunk is asked for.
 */
export interface Chunk {
  readonly bytes: Buffer
  readonly segment: number
  readonly offset: number
  /** Where lines end in `bytes` that are known to be what their hash says, in order: the store has looked already. */
  readonly sound?: Uint32Array
}

export type Appended =
  | {
      readonly kind: 'appended'
      readonly position: Position
      /** Settles when the bytes are on the disk (L5); rejects with OUTCOME_UNKNOWN. Already done where the store is synchronous. */
      readonly durable: Promise<void> | undefined
    }
  | { readonly kind: 'conflict' }

export interface AppendOptions {
  /** `relaxed` is acknowledged before the sync, which follows within the flush interval. */
  readonly durability: 'durable' | 'relaxed'
  /** The next batch is made while this one is on its way to the disk. */
  readonly isFollowed?: boolean
}

export interface Encoded {
  readonly seq: number
  readonly hash: string
  /** Where it ends in the bytes of its lines, behind its newline. It begins where the one before ends. */
  readonly end: number
  /** Whether it is the commit that ends a segment. */
  readonly seal: boolean
}

/** Lines that follow one another, in one piece of memory. Good until the append that takes them has answered. */
export interface Lines {
  readonly lines: readonly Encoded[]
  readonly bytes: Buffer
}

/** A place for logs. It decides nothing: bytes in, bytes kept. */
export interface Log {
  readonly supports: {
    readonly checkpoints: boolean
    readonly blobs: boolean
    readonly durable: boolean
    /** Takes a batch while the one before is on its way to the disk. */
    readonly overlaps?: true
  }
  create(session: string): Promise<void>
  /** Writes the lines of `batch` behind `after` (L4): those before the first for which others were quicker stand; `conflict` when none does. */
  append(session: string, batch: Lines, after: Position, options: AppendOptions): Appended | Promise<Appended>
  /** What was read ends at `position`: one that is shorter later on was cut, unless it is another. */
  learn?(session: string, position: Position): void
  /** The rest of the segment of `after`, from its offset on; ends at what is written now. */
  read(session: string, after: Position): AsyncIterable<Chunk>
  /**
   * A cheap look at what stands behind `after` in its segment: empty when nothing was written behind it, undefined when
   * it takes `read` to know. Good until the next look.
   */
  peek(session: string, after: Position): Buffer | undefined | Promise<Buffer | undefined>
  /** Whether the commit of `position` ends exactly there; `short` when the log does not reach that far. */
  stands(session: string, position: Position): Promise<'yes' | 'no' | 'short'>
  /**
   * Behind a whole line that ends about `bytes` before `from`. It need not count: whoever asks checks that the chain leads
   * from there to `from`. Undefined where there is none, or where the store cannot tell.
   */
  near?(session: string, from: Position, bytes: number): Promise<Position | undefined>
  /** Makes everything durable that was read so far. */
  sync(session: string): Promise<void>
  exists(session: string): Promise<boolean>
  list(): AsyncIterable<string>
  /** Calls back soon after others may have appended; the answer stops it. */
  watch(session: string, changed: () => void): () => void
  /** Calls back soon after sessions may have come or gone; the answer stops it. */
  watchSessions?(changed: () => void): () => void
  /**
   * A courtesy: a writer that has lost `losses` races in a row may ask the others to let it pass, and lets others pass.
   * Nothing depends on it (L6).
   */
  turn(session: string, losses: number): Turn | Promise<Turn>
  /** Who has the workspace open is about to end: calls wait for a store that is away a few seconds more, and no longer. */
  hurry?(): void
  /** Nobody here has the session open any more: gives back what it took to write to it. */
  release?(session: string): Promise<void>
  close(): Promise<void>
  /**
   * Keeps the bytes from `from` on aside, then cuts the log there. Answers where they are kept. With `why` the attic knows
   * of the cut until it is told.
   */
  repair?(
    session: string,
    from: { readonly segment: number; readonly offset: number },
    why?: Pick<Cut, 'seq' | 'reason'>,
  ): Promise<readonly string[]>
  /** Moves an ended session out of the list, compressed. Answers where it is kept. */
  archive?(session: string): Promise<string>
  readonly checkpoints?: CheckpointStore
  readonly blobs?: BlobStore
  /** Which session has which name: an index that may be lost. */
  readonly names?: NameStore
  /** Loaded by those who ask. */
  attic?(): Promise<Attic>
}

/** Of a log, begun by a repair; no commit tells of it yet. */
export interface Cut {
  readonly id: string
  /** Of the first commit that is not proven. */
  readonly seq: number
  readonly reason: string
  /** Where its bytes are kept. */
  readonly aside: readonly string[]
}

export interface NameClaim {
  /** Of the session; empty when the name was given up. */
  readonly id: string
  /** Grows with every claim. */
  readonly generation: number
}

export interface NameStore {
  /** Kept with the logs: a name that nobody has claimed is no session's. Elsewhere claims may be deleted. */
  readonly isWhole?: true
  holder(name: string): Promise<NameClaim | undefined>
  /** Puts the claim behind generation `after`; false when another was first. */
  claim(name: string, id: string, after: number): Promise<boolean>
  /** Of these sessions those that nobody has vouched for; all of them where this is left out. */
  unknown?(ids: readonly string[]): Promise<readonly string[]>
  /** The name of this session is found by its claim, and so will those be that it takes. */
  vouch?(id: string): Promise<void>
}

/** What is put away and what is left over. */
export interface Attic {
  /** Archived sessions, to read. One whose id was used again has a number behind it: `ID.2`. */
  readonly log: Log
  /** Brings an archived session back under its id, byte for byte; throws NAME_TAKEN when that is there. */
  restore(archived: string, id: string): Promise<void>
  /**
   * Takes in a session from elsewhere: it is there with its last file, or not at all. Throws NAME_TAKEN when it is there;
   * what `files` throws leaves nothing behind. Answers where what goes beside the log is.
   */
  land(id: string, files: AsyncIterable<Landed>): Promise<readonly string[]>
  /** Puts a file beside the log of a session that is there; replaces one. Answers where it is. */
  keep(id: string, file: Landed): Promise<string>
  /** Sessions that are there without their log: something took it away. */
  remains(): AsyncIterable<string>
  /** What writers that were killed have left, older than that, in ms. */
  leftovers(older: number): Promise<readonly Leftover[]>
  /** Where the store repairs: cuts that no commit tells of, oldest first. */
  untold?(session: string): Promise<readonly Cut[]>
  told?(session: string, cut: Cut): Promise<void>
  /** All of a session that never began, when nobody has written to it for that long, in ms. */
  half?(session: string, older: number): Promise<readonly Leftover[]>
  /** Blobs of a session, older than that, in ms. */
  blobs(session: string, older: number): Promise<readonly Leftover[]>
  /** What was handed in and is in no session yet. */
  waiting(): Promise<Waiting>
  /** Runs of agent CLIs of which something was handed in for no session by name, by the first of it. */
  strays(): Promise<readonly Stray[]>
  /** Takes one away, unless somebody has asked for it anew; answers whether it did. */
  remove(leftover: Leftover, older: number): Promise<boolean>
}

/** What is of this machine where a database keeps the logs. */
export type Here = Pick<Attic, 'waiting' | 'strays' | 'keep'>

/** A file of a session from elsewhere. */
export interface Landed {
  /** Within the session's folder, with slashes; whoever hands it in has checked it. */
  readonly path: string
  readonly chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

export interface Waiting {
  /** Ids or names, as the facts say them. */
  readonly sessions: ReadonlySet<string>
  /** Files whose writer is at it, or died: nobody knows for whom. */
  readonly unfinished: readonly string[]
}

/** A run of an agent CLI that told of itself while no session was named. */
export interface Stray {
  readonly agent: string
  /** The CLI's own id of it. */
  readonly run: string
  /** How many times it told. */
  readonly told: number
  /** When it told first, ISO 8601. */
  readonly since: string
  /** It told that it has ended. */
  readonly over: boolean
}

export interface Leftover {
  /** Within the workspace. */
  readonly path: string
  readonly bytes: number
}

export interface Turn {
  release(): void
}

export interface CheckpointStore {
  get(session: string): Promise<Buffer | undefined>
  /** The commit that the last one stands at, and how long ago it was put or the next begun, in ms: a cheap question. */
  latest?(session: string): { readonly seq: number; readonly age: number } | undefined
  /** Tells those who ask for the latest that the next is being made. */
  begin?(session: string): void
  /** Bytes in pieces, one behind the other. */
  put(session: string, bytes: readonly Uint8Array[]): Promise<void>
  /** One is being made on another thread, which writes much; answers as `made` does. */
  aside?<T>(made: Promise<T>): Promise<T>
  delete(session: string): Promise<void>
}

export interface BlobStore {
  /** Stores bytes under their sha-256 (hex), which is the answer. */
  put(session: string, bytes: Uint8Array): Promise<string>
  get(session: string, hash: string): Promise<Buffer | undefined>
  /** Whether there is one of that name, whatever is in it, where that is cheap to know. */
  has?(session: string, hash: string): Promise<boolean>
}

/** Clock, randomness and hashing, handed in so that the kernel stays a function of what it is given. */
export interface Host {
  /** Milliseconds since 1970, UTC. */
  now(): number
  /** Milliseconds and parts of them since some moment; never back. */
  clock(): number
  /** UUID v7. */
  newId(): string
  /** Lower-case hex. */
  sha256(bytes: Uint8Array | string): string
  /** The same of pieces, one behind the other. */
  digest(pieces: Iterable<Uint8Array | string>): string
  /** XXH32 with seed 0, 8 digits of lower-case hex: tells damage, in a tenth of the time. Undefined where it cannot be had. */
  sum?(bytes: Uint8Array | string): string | undefined
  /** Runs `task` after the events that are already waiting; many calls before it make one group. */
  defer(task: () => void): void
  /** Answers are leaving: whoever asks because of one waits for no other events. */
  answered(): void
  /** Milliseconds; less when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** A number in [0, 1). */
  random(): number
}

/** What reading a log needs. */
export interface Reader {
  readonly log: Log
  readonly host: Host
}

/** Behind a port, since its tables are a package of their own size. */
export interface TokenCounter {
  /** Name of the encoding: `o200k_base`. */
  readonly encoding: string
  count(text: string): number
}
