// Keeps every promise: the rigs must be green on it.
import { makeStore } from './reference-store.mjs'

export const { open, verify } = makeStore()
