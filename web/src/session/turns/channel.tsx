import type { ChannelRow, TurnRow } from '../../../../src/domain/turns/views.ts'
import { operate } from '../../api/session.ts'
import { ActionButton } from '../../parts/action.tsx'
import { now } from '../../parts/age.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Countdown } from '../../parts/countdown.tsx'
import { counted } from '../../parts/counted.ts'
import { Of } from '../../parts/of.tsx'
import { duration } from '../../parts/time.ts'
import { useStore } from '../../store.ts'
import { useViewed } from '../session.ts'
import { Queue } from './queue.tsx'
import { Said } from './said.tsx'

interface ChannelProps {
  readonly channel: ChannelRow
  readonly seats: readonly TurnRow[]
}

export const Channel = ({ channel, seats }: ChannelProps) => (
  <section class="channel" aria-label={channel.name}>
    <header>
      <h2>{channel.name}</h2>
      <span class="faint">
        {channel.mode} · {counted(channel.turns, 'turn')} · {counted(channel.messages, 'message')} ·{' '}
        {counted(channel.tokens, 'token')}
      </span>
    </header>
    {channel.held === null ? null : <Held channel={channel} />}
    <Speaker channel={channel} seats={seats} />
    <Queue channel={channel} seats={seats} />
    <Said channel={channel.channel} />
  </section>
)

const HELD = { pause: 'paused', interrupt: 'interrupted', guard: 'stopped by its guard' }

function Held({ channel: { channel, name, held, why } }: { readonly channel: ChannelRow }) {
  const { id, frozen } = useViewed()
  return (
    <p class="notice">
      <Badge icon="pause" tone="warn">
        {held === null ? '' : HELD[held]}
      </Badge>{' '}
      {why ?? ''}{' '}
      <ActionButton tone="main" unless={frozen} run={() => operate(id, 'turn.resume', { channel })}>
        Go on
        <Of what={name} />
      </ActionButton>
    </p>
  )
}

function Speaker({ channel: { channel, name, active, held, left_ms }, seats }: ChannelProps) {
  const { id, at, frozen } = useViewed()
  const seat = seats.find(({ agent }) => agent === active)
  const turn =
    (operation: string, input: object = {}) =>
    () =>
      operate(id, operation, { channel, ...input })
  if (active === null) return <p class="faint">Nobody has the turn.</p>
  const isRunning = held === null && at === undefined && seat?.deadline != null
  return (
    <div class="speaker">
      <div>
        <span class="faint">speaks</span>
        <b>{active}</b>
      </div>
      <div>
        <span class="faint">left</span>
        <b>{isRunning ? <Countdown until={seat.deadline} /> : left_ms === null ? '–' : duration(left_ms)}</b>
      </div>
      {isRunning ? <Left seat={seat} /> : null}
      <p class="buttons">
        <ActionButton unless={frozen} run={turn('turn.extend', { by_ms: 60_000 })}>
          One minute more
          <Of what={name} />
        </ActionButton>
        <ActionButton unless={frozen} run={turn('turn.skip')}>
          Skip
          <Of what={name} />
        </ActionButton>
        {held === null ? (
          <ActionButton unless={frozen} run={turn('turn.pause')}>
            Pause
            <Of what={name} />
          </ActionButton>
        ) : null}
      </p>
    </div>
  )
}

/** The number beside it says the same. */
function Left({ seat: { deadline, timeout_ms } }: { readonly seat: TurnRow }) {
  const share = Math.max(0, Math.min(1, (Date.parse(deadline ?? '') - useStore(now)) / timeout_ms))
  return <progress value={share} max={1} aria-label="share of the turn that is left" />
}
