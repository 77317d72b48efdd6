// Answers before it writes. P1 must see acknowledged entries lost.
import { makeStore } from './reference-store.mjs'

export const { open, verify } = makeStore({ earlyAnswer: true })
