/* Which files are known. The first that recognizes a file reads it, so the narrow ones come first. */
import type { Detected, Importer, Source } from '../../kernel/exchange/importer.ts'
import { agentSettings, channelFolder } from './agents.ts'
import { artifactEntry } from './artifact.ts'
import { issueLines } from './beads.ts'
import { channelSettings } from './channels.ts'
import { checkpoint } from './checkpoint.ts'
import { conversationFile, signedLines } from './conversation.ts'
import { craft } from './craft.ts'
import { eventLines } from './event-lines.ts'
import { busMessage } from './message.ts'
import { orchestrationState } from './orchestration.ts'
import { sessionDocument } from './session-document.ts'
import { shellState } from './shell-state.ts'
import { checkpointWithEvents, taskFiles } from './state-folder.ts'
import { stateless } from './stateless.ts'
import { supervisorCheckpoint } from './supervisor.ts'
import { taskList } from './task-list.ts'
import { teamDefinitions } from './teams.ts'
import { channelState } from './turns.ts'

/** Of what they read, something becomes state. */
export const readers: readonly Importer[] = [
  sessionDocument,
  craft,
  supervisorCheckpoint,
  checkpoint,
  channelState,
  channelSettings,
  agentSettings,
  conversationFile,
  orchestrationState,
  teamDefinitions,
  busMessage,
  artifactEntry,
  taskList,
  shellState,
  signedLines,
  eventLines,
  issueLines,
]

const importers = [...readers, ...stateless]

/** What becomes of these files, which of them hold nothing of a session, and which nobody knows. */
export function detect(sources: readonly Source[]): {
  readonly plans: readonly Detected[]
  readonly stateless: readonly Detected[]
  readonly unknown: readonly Source[]
} {
  const joined =
    sources.length < 2 ? [] : [...checkpointWithEvents(sources), ...taskFiles(sources), ...channelFolder(sources)]
  const rest = sources.filter((source) => !joined.some((plan) => plan.sources.includes(source)))
  const found = rest.map((source) => [source, importers.find(({ detects }) => detects(source))] as const)
  const alone = found.flatMap(([source, importer]) =>
    importer === undefined ? [] : [{ kind: importer.kind, sources: [source], ...importer.read(source) }],
  )
  return {
    plans: [...joined, ...alone.filter((plan) => plan.stateless === undefined)],
    stateless: alone.filter((plan) => plan.stateless !== undefined),
    unknown: found.filter(([, importer]) => importer === undefined).map(([source]) => source),
  }
}
