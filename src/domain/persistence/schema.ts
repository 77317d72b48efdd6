import * as z from 'zod/mini'
import { count, maybe, moment, sha256, text } from '../../kernel/state/shapes.ts'

/** Derived. Offsets are sequence numbers of commits. */
export const persistenceSchema = z.object({
  checkpoint: z.object({
    last_saved: maybe(moment),
    sequence: count,
    hash: maybe(sha256),
    size_bytes: count,
  }),
  event_log: z.object({
    current_offset: count,
    total_events: count,
    size_bytes: count,
    log_files: z.array(z.object({ filename: text, start_offset: count, end_offset: count, size_bytes: count })),
  }),
})
