// Answers after the write, without fdatasync. P2, P3 and the guards must see it.
import { makeStore } from './reference-store.mjs'

export const { open, verify } = makeStore({ noSync: true })
