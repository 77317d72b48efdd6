/** What needs a person: blocked first, then failed or lost, then what only waits; each with its age and one action. */
import type { Need, NeedKind } from '../../../../src/kernel/care/inbox.ts'
import { Age } from '../../parts/age.tsx'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { Copy } from '../../parts/copy.tsx'
import type { IconName } from '../../parts/icon.tsx'
import { usePieces } from '../../parts/pieces.tsx'
import { to } from '../../route/route.ts'
import { Answer } from './answer.tsx'
import { useHeld, type Row } from './held.ts'
import { NeedAction } from './need-action.tsx'

const PIECE = 50

export function Needs({ needs }: { readonly needs: readonly Need[] }) {
  const { rows, hold } = useHeld(needs)
  const [first, more] = usePieces(rows, PIECE)
  return (
    <section class="needs">
      <h2>
        Needs you <span class="count">{needs.length}</span>
      </h2>
      {rows.length === 0 ? <p class="faint">Nothing waits for you.</p> : null}
      <ol>
        {first.map((row) => (
          <NeedRow key={row.key} row={row} onDraft={(isWritten) => hold(row.key, isWritten)} />
        ))}
      </ol>
      {more}
    </section>
  )
}

interface NeedRowProps {
  readonly row: Row
  readonly onDraft: (isWritten: boolean) => void
}

const NeedRow = ({ row: { need, isAsked }, onDraft }: NeedRowProps) => {
  const [icon, tone] = LOOKS[need.kind]
  return (
    <li class={`need tone-${tone}`}>
      <Badge icon={icon} tone={tone}>
        {need.kind}
      </Badge>
      <p>
        {need.session === '' ? null : (
          <a class="strong" href={to(['session', need.session, 'timeline'])}>
            {need.name}
          </a>
        )}{' '}
        <b>{need.what}</b> <span class="why">{need.why}</span>
        <Copy text={need.next} />
      </p>
      <Age at={need.since} />
      {isAsked ? <NeedAction need={need} /> : null}
      <Answer need={need} isAsked={isAsked} onDraft={onDraft} />
    </li>
  )
}

const LOOKS: Readonly<Record<NeedKind, readonly [IconName, Tone]>> = {
  DAMAGED: ['alert', 'bad'],
  ASK: ['ask', 'warn'],
  GATE: ['gate', 'warn'],
  LOST: ['lost', 'bad'],
  PARKED: ['pause', 'warn'],
  UNFINISHED: ['half', 'warn'],
  DEADLOCK: ['loop', 'bad'],
  BLOCKED: ['block', 'warn'],
  STOPPED: ['stop', 'warn'],
  FAILED: ['fail', 'bad'],
  DEAD: ['mail', 'bad'],
  EXPIRED: ['clock', 'warn'],
  MESSAGE: ['mail', 'plain'],
}
