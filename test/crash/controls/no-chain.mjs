// Checks neither hashes nor the chain. P7 must see altered entries returned.
import { makeStore } from './reference-store.mjs'

export const { open, verify } = makeStore({ noChain: true })
