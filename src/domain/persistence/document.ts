/* Where a session is kept: derived when it is read, in commits and bytes. An offset is a sequence number. */
import type { View } from '../../kernel/document/view.ts'

export const persistence: View = {
  wants: { store: true, checkpoint: true },
  derive: (_state, { seq, store, checkpoint }) => {
    const { segments = [] } = store ?? {}
    return {
      checkpoint: {
        sequence: checkpoint?.seq ?? 0,
        size_bytes: checkpoint?.bytes ?? 0,
        ...(checkpoint === undefined ? {} : { last_saved: checkpoint.at, hash: checkpoint.stateHash }),
      },
      event_log: {
        current_offset: seq,
        total_events: seq,
        size_bytes: segments.reduce((sum, { bytes }) => sum + bytes, 0),
        log_files: segments.map(({ name, first, bytes }, i) => ({
          filename: name,
          start_offset: first,
          end_offset: (segments[i + 1]?.first ?? seq + 1) - 1,
          size_bytes: bytes,
        })),
      },
    }
  },
}
