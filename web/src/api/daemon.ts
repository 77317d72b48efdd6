/** Who answers: the daemon of a workspace, or of a file that is only looked at. */
import { read } from './request.ts'
import { useResource, type Resource } from './resource.ts'

export interface DaemonData {
  readonly version: string
  readonly workspace: string
  /** The file that is looked at; null for a workspace. */
  readonly source: string | null
}

const IN_FILE = 'what lies in a file is only read'

/** Why nothing at all can be changed; undefined when something may. */
export const useReadOnly = (): string | undefined => ((useDaemon().data?.source ?? null) === null ? undefined : IN_FILE)

export const useDaemon = (): Resource<DaemonData> =>
  useResource('daemon', async () => (await read<DaemonData>('')).data)
