// Does not look at the count a write returns. P5 and P6 must see entries lost.
import { makeStore } from './reference-store.mjs'

export const { open, verify } = makeStore({ trustsCounts: true, noReadBack: true })
