import { useState } from 'preact/hooks'
import type { VerifiedData } from '../../../../src/kernel/care/verified.ts'
import { read, sessionPath } from '../../api/request.ts'
import { useRead } from '../../api/session.ts'
import { ActionButton } from '../../parts/action.tsx'
import { Age } from '../../parts/age.tsx'
import { Badge } from '../../parts/badge.tsx'
import { counted } from '../../parts/counted.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { useViewed } from '../session.ts'

interface Persistence {
  readonly checkpoint: {
    readonly sequence: number
    readonly size_bytes: number
    /** Both are missing while there is no checkpoint. */
    readonly last_saved?: string
    readonly hash?: string
  }
  readonly event_log: {
    readonly total_events: number
    readonly size_bytes: number
    readonly log_files: readonly { readonly filename: string }[]
  }
}

/** The checkpoint that opening begins with, and the log that it can be made anew from. */
export function Stored() {
  const { id } = useViewed()
  const stored = useRead<{ readonly value: Persistence }>(id, 'state', { path: 'persistence' })
  return (
    <section aria-labelledby="stored">
      <h2 id="stored">Checkpoint and log</h2>
      <Loaded of={stored}>
        {({ data: { value } }) => (
          <dl class="facts wide">
            <dt>Checkpoint</dt>
            <dd>
              <Checkpoint of={value.checkpoint} />
            </dd>
            <dt>Log</dt>
            <dd>
              {counted(value.event_log.total_events, 'commit')}, {kib(value.event_log.size_bytes)} in{' '}
              {counted(value.event_log.log_files.length, 'file')}
            </dd>
          </dl>
        )}
      </Loaded>
      <Verify session={id} />
    </section>
  )
}

function Checkpoint({ of: { sequence, size_bytes, last_saved, hash } }: { readonly of: Persistence['checkpoint'] }) {
  if (last_saved === undefined || hash === undefined) return 'none: opening reads the whole log'
  return (
    <>
      at commit {sequence.toLocaleString('en')}, {kib(size_bytes)}, <Age at={last_saved} /> old,{' '}
      <code class="faint">{hash.slice(0, 12)}</code>
    </>
  )
}

const kib = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KiB`

function Verify({ session }: { readonly session: string }) {
  const [found, show] = useState<VerifiedData>()
  const verify = async () => show((await read<VerifiedData>(sessionPath(session, 'verify'), { deep: true })).data)
  return (
    <p class="tools">
      <ActionButton reads run={verify}>
        Check every hash
      </ActionButton>
      <span role="status">
        {found === undefined ? null : (
          <Badge icon={found.ok ? 'check' : 'alert'} tone={found.ok ? 'good' : 'bad'}>
            {found.error === undefined
              ? `${counted(found.seq, 'commit')}, chain ok`
              : found.error.code === 'LOG_CORRUPT'
                ? `damaged at commit ${found.error.seq.toLocaleString('en')}: ${found.error.reason}`
                : found.error.reason}
          </Badge>
        )}
      </span>
    </p>
  )
}
