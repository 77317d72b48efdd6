/** What goes to other machines, with the identity of this workspace. Loaded on use. */
import * as path from 'node:path'
import about from '../../package.json' with { type: 'json' }
import { makePlace } from '../drivers/files/place.ts'
import { host } from '../drivers/host/host.ts'
import { Vault } from '../drivers/vault/vault.ts'
import { projectOf } from './store.ts'

/** `dir` holds `.steadfold`; undefined where only keys or a bundle are looked at. */
export const openVault = (dir: string | undefined): Vault =>
  new Vault({
    env: process.env,
    version: about.version,
    place: () => (dir === undefined ? '' : makePlace(path.join(dir, '.steadfold'), host.newId)),
    project: (folder) => projectOf(path.join(folder, '.steadfold')),
  })
