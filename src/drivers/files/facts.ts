import * as fs from 'node:fs'
import * as path from 'node:path'
import type { LogFacts } from '../../kernel/ports.ts'
import { Layout, segmentName } from './layout.ts'

/** What a workspace folder tells of a session without reading its log. */
export async function logFacts(root: string, session: string): Promise<LogFacts> {
  const layout = new Layout(root)
  const segments = layout.segments(session).map((first) => {
    const bytes = fs.statSync(layout.segment(session, first), { throwIfNoEntry: false })?.size ?? 0
    return { name: segmentName(first), first, bytes }
  })
  return { folder: path.dirname(root), segments }
}
