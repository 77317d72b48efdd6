/* Which files are known. The first that recognizes a file reads it, so the narrow ones come first. */
import type { Detected, Importer, Source } from '../../kernel/import.ts'
import { issueLines } from './beads.ts'
import { checkpoint } from './checkpoint.ts'
import { conversationFile, signedLines } from './conversation.ts'
import { craft } from './craft.ts'
import { eventLines } from './event-lines.ts'
import { orchestrationState } from './orchestration.ts'
import { sessionDocument } from './session-document.ts'
import { shellState } from './shell-state.ts'
import { checkpointWithEvents, taskFiles } from './state-folder.ts'
import { supervisorCheckpoint } from './supervisor.ts'
import { taskList } from './task-list.ts'
import { channelState } from './turns.ts'

export const importers: readonly Importer[] = [
  sessionDocument,
  craft,
  supervisorCheckpoint,
  checkpoint,
  channelState,
  conversationFile,
  orchestrationState,
  taskList,
  shellState,
  signedLines,
  eventLines,
  issueLines,
]

/** What becomes of these files, and which of them nobody knows. */
export function detect(sources: readonly Source[]): {
  readonly plans: readonly Detected[]
  readonly unknown: readonly Source[]
} {
  const joined = sources.length < 2 ? [] : [...checkpointWithEvents(sources), ...taskFiles(sources)]
  const rest = sources.filter((source) => !joined.some((plan) => plan.sources.includes(source)))
  const found = rest.map((source) => [source, importers.find(({ detects }) => detects(source))] as const)
  const alone = found.flatMap(([source, importer]) =>
    importer === undefined ? [] : [{ kind: importer.kind, sources: [source], ...importer.read(source) }],
  )
  return {
    plans: [...joined, ...alone],
    unknown: found.filter(([, importer]) => importer === undefined).map(([source]) => source),
  }
}
