/* Workspaces that are kept in a database, and the folder of this machine that goes with each. */
import * as path from 'node:path'
import { pointerTo, pointers } from '../drivers/files/pointer.ts'
import { host } from '../drivers/host/host.ts'
import { EngineError } from '../kernel/error.ts'
import type { Settings } from '../kernel/kernel.ts'
import type { LogFacts } from '../kernel/log-facts.ts'
import type { Here, Log } from '../kernel/ports.ts'

export interface Store {
  readonly log: Log
  /** The address without its password. */
  readonly shown: string
  /** What tells this workspace from others; the same on every machine. */
  readonly place: string
  /** What the clock of the store is ahead of this machine's, in ms. */
  readonly ahead: number
  readonly facts: (session: string) => Promise<LogFacts>
  /** What it does not cover as it is set up. */
  readonly doubts: readonly string[]
  /** What it cannot do better. */
  readonly settings?: Partial<Settings>
}

export interface StoreOptions {
  readonly url: string
  readonly create: boolean
  readonly here: Here
  readonly warn: (message: string) => void
}

export async function openStore({ url, ...options }: StoreOptions): Promise<Store> {
  const asked = { url, sha256: host.sha256, ...options }
  switch (schemeOf(url)) {
    case 'postgres':
    case 'postgresql':
      return (await import('../drivers/postgres/open.ts')).openPostgres(asked)
    case 'nats':
    case 'tls':
      return (await import('../drivers/nats/open.ts')).openNats(asked)
    default:
      throw unknown(url)
  }
}

const schemeOf = (text: string): string | undefined => /^([a-z]+):\/\//.exec(text)?.[1]

export const isAddress = (text: string): boolean => schemeOf(text) !== undefined

/** The folder that stands for the address on this machine: what shells hand in, work under way, the daemon. */
export function folderFor(url: string): string {
  if (!/^(postgres(ql)?|nats|tls):/.test(url)) throw unknown(url)
  return pointerTo(url, host.sha256)
}

/** Where commands run: the folder of the workspace; the current one where that only stands for an address. */
export const projectOf = (root: string): string =>
  path.dirname(path.dirname(root)) === pointers() ? process.cwd() : path.dirname(root)

const unknown = (url: string): EngineError =>
  new EngineError('INPUT_INVALID', `there is no driver for ${schemeOf(url) ?? 'this'}://`, {
    hint: 'use a folder, postgres://user@host/database?namespace=team or nats://host?namespace=team',
  })
