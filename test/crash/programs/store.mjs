// The store under test, as one small set of calls: open, append, entries, verify. The product by default; a store of
// ../controls when CRASH_STORE names one.
const name = process.env.CRASH_STORE ?? 'product'

const store = await import(name === 'product' ? './product.mjs' : `../controls/${name}.mjs`)

/** Segment and checkpoint sizes of the run, from CRASH_SETTINGS (JSON). */
export const settings = JSON.parse(process.env.CRASH_SETTINGS ?? '{}')

/**
 * `open(dir, settings)` answers `{append(id, value), entries(), value(id), close()}`; an entry is `{seq, at, id, sum}`.
 * Commits the store makes for itself have no id; `sum()` is a hash of everything an entry says.
 */
export const open = store.open
export const verify = store.verify
/** Ends the store's life in one more way each: makes another session, archives it, brings it back, archives it again. Only the product has it. */
export const farewell = store.farewell ?? (async () => undefined)
