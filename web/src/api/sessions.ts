/** All sessions of the workspace. */
import { read } from './request.ts'
import { useResource, type Resource } from './resource.ts'

export interface SessionLine {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly goal: string | null
  readonly seq: number
  readonly updated_at: string
  readonly holder: string | null
  readonly workflow: string | null
}

export const useSessions = (): Resource<readonly SessionLine[]> =>
  useResource('sessions', async () => (await read<readonly SessionLine[]>('sessions')).data, '*')
