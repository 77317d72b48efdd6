/** What needs a person, and what goes on, in all sessions. */
import type { Inbox } from '../../../src/kernel/care/inbox.ts'
import { read } from './request.ts'
import { useResource, type Resource } from './resource.ts'

export const useInbox = (): Resource<Inbox> =>
  useResource('inbox', async () => (await read<Inbox>('inbox', { all: true })).data, '*')
