// Calls fdatasync again after it failed and believes the second answer. P4 must see it.
import { makeStore } from './reference-store.mjs'

export const { open, verify } = makeStore({ trustsRetry: true })
