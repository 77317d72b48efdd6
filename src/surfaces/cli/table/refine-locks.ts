/* Words and examples for the commands of locks. */
import type { Refinement } from './refinement.ts'

export const LOCK_REFINEMENTS: Readonly<Record<string, Refinement>> = {
  'lock.renew': {
    words: {
      resource: 'the lock',
      token: 'what acquire printed',
      ttl_ms: 'how long from now; as before when left out',
    },
    hidden: ['owner'],
    examples: ['lock renew src/api.ts 17', 'lock renew db 17 --ttl-ms 300000'],
  },
  'lock.release': {
    words: { resource: 'the lock', token: 'what acquire printed; whatever you hold of it when left out' },
    hidden: ['owner'],
    examples: ['lock release src/api.ts', 'lock release db 17'],
  },
  'lock.check': { words: { resource: 'the lock', token: 'what came with the work' }, examples: ['lock check db 17'] },
}
