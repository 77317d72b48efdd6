import * as fs from 'node:fs'
import type { CheckpointStore } from '../../kernel/ports.ts'
import { readFile, replaceFile, syncFolder } from './durable.ts'
import type { Layout } from './layout.ts'

export function fileCheckpoints(layout: Layout): CheckpointStore {
  return {
    get: async (session) => readFile(layout.checkpoint(session)),
    put: async (session, bytes) => replaceFile(layout.checkpoint(session), bytes),
    delete: async (session) => {
      fs.rmSync(layout.checkpoint(session), { force: true })
      syncFolder(layout.session(session))
    },
  }
}
