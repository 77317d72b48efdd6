// Stores whatever JSON.stringify makes of a value. P10 must see values change.
import { makeStore } from './reference-store.mjs'

export const { open, verify } = makeStore({ anyJson: true })
