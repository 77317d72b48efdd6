// Takes any name, follows links, leaves modes to the umask. P11 must see it leave its folder.
import { makeStore } from './reference-store.mjs'

export const { open, verify } = makeStore({ anyName: true, looseModes: true })
