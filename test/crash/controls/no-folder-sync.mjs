// Never syncs a folder, so a new file can vanish with what it holds. P3 and the guards must see it.
import { makeStore } from './reference-store.mjs'

export const { open, verify } = makeStore({ noFolderSync: true })
