/* A place that two machines reach: a folder, S3, or a git repository. */

export interface Depot {
  /** What people are told it is. */
  readonly what: string
  /** Names that begin with `prefix`, behind `after`, in order. */
  list(prefix: string, after?: string): Promise<readonly string[]>
  get(name: string): Promise<Buffer | undefined>
  /**
   * Puts the objects in order, each only if nobody has put one of that name. False when the last was there already: it is
   * the one that counts; those before it may be there from an attempt that died.
   */
  putNew(objects: readonly Item[]): Promise<boolean>
}

export interface Item {
  readonly name: string
  readonly bytes: Buffer
}

export const twenty = (seq: number): string => String(seq).padStart(20, '0')

/** A program that syncs a folder keeps what lost beside what won, under a name of its own: that is none of these. */
export async function numbered(depot: Depot, prefix: string, after?: string): Promise<readonly string[]> {
  return (await depot.list(prefix, after)).filter((name) => /\/\d{20}$/.test(name))
}
