import * as fs from 'node:fs'
import * as path from 'node:path'
import { EngineError } from '../../kernel/error.ts'
import type { BlobStore, Host } from '../../kernel/ports.ts'
import { errnoOf } from '../../kernel/system-error.ts'
import { makeFolder, readFile, replaceFile, statOf, syncFolder } from './durable.ts'
import type { Layout } from './layout.ts'

/** `blobs/sha256/ab/<hash>`; a blob is checked whenever it is read. */
export function fileBlobs(layout: Layout, sha256: Host['sha256']): BlobStore {
  const place = (session: string, hash: string) => path.join(layout.blobs(session), 'sha256', hash.slice(0, 2), hash)
  const holds = (file: string, hash: string) => {
    const bytes = inPlace(() => readFile(file))
    return bytes !== undefined && sha256(bytes) === hash
  }
  return {
    put: async (session, bytes) => {
      const hash = sha256(bytes)
      const file = place(session, hash)
      const folder = path.dirname(file)
      // Before it is looked at: who takes away what nobody refers to goes by this time.
      if (touched(file) && holds(file, hash)) {
        // Whoever wrote it may have died before its name was durable.
        syncFolder(folder)
        return hash
      }
      for (const each of [layout.blobs(session), path.dirname(folder), folder]) makeFolder(each)
      replaceFile(file, bytes)
      return hash
    },
    has: async (session, hash) => inPlace(() => statOf(place(session, hash))) !== undefined,
    get: async (session, hash) => {
      if (!/^[0-9a-f]{64}$/.test(hash))
        throw new EngineError('NAME_INVALID', `${JSON.stringify(hash.slice(0, 80))} is no sha-256`)
      const bytes = inPlace(() => readFile(place(session, hash)))
      if (bytes !== undefined && sha256(bytes) !== hash) {
        throw new EngineError(
          'BLOB_CORRUPT',
          `blob ${hash} of session ${session} does not have the bytes its name says`,
          {
            hint: `bring it back from a copy; steadfold verify --deep --session ${session} lists all that are lost`,
          },
        )
      }
      return bytes
    },
  }
}

/** Where a file stands in place of one of its folders, there is no blob. */
function inPlace<Found>(look: () => Found): Found | undefined {
  try {
    return look()
  } catch (error) {
    if (error instanceof EngineError && error.details?.['errno'] === 'ENOTDIR') return undefined
    throw error
  }
}

function touched(file: string): boolean {
  const now = Date.now() / 1000
  try {
    fs.lutimesSync(file, now, now)
    return true
  } catch (error) {
    // A read-only file system keeps the bytes all the same.
    return errnoOf(error) !== 'ENOENT'
  }
}
