// Writes the clock's time as it is. P9 must see time go backwards.
import { makeStore } from './reference-store.mjs'

export const { open, verify } = makeStore({ wallClock: true })
