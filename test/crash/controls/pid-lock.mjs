// Trusts a lock file with a pid in it. P8 must see entries lost between two pid namespaces.
import { makeStore } from './reference-store.mjs'

export const { open, verify } = makeStore({ lock: 'pid', noReadBack: true })
