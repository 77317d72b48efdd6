/** All sessions of the workspace. */
import type { SessionLine } from '../../../src/kernel/about-session.ts'
import { read } from './request.ts'
import { useResource, type Resource } from './resource.ts'

export type { SessionLine }

export const useSessions = (): Resource<readonly SessionLine[]> =>
  useResource('sessions', async () => (await read<readonly SessionLine[]>('sessions')).data, '*')
