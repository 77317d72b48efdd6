/** The timeline in words. */
import { Badge, type Tone } from '../../parts/badge.tsx'
import type { IconName } from '../../parts/icon.tsx'
import { Table, type Column } from '../../parts/table.tsx'
import { duration, stamp } from '../../parts/time.ts'
import { to } from '../../route/route.ts'
import { useViewed, type Viewed } from '../session.ts'
import type { Arrow, Bar, Outcome, Story } from './story.ts'

interface Line {
  readonly seq: number
  readonly what: string
  readonly label: string
  readonly who: string
  readonly outcome: Outcome
  readonly said: string
  readonly start: number
  readonly end: number | undefined
  readonly inferred: boolean
}

export function BarTable({ story }: { readonly story: Story }) {
  const viewed = useViewed()
  const lines = [...story.bars.map(lineOf), ...story.arrows.map(arrowLine)]
  return (
    <Table
      caption="Timeline"
      columns={columnsFor(viewed)}
      rows={lines}
      keyOf={({ seq, label }) => `${seq} ${label}`}
      order="start"
    />
  )
}

const lineOf = ({ seq, kind, label, lane, outcome, said, start, end, sure }: Bar): Line => ({
  seq,
  what: kind,
  label,
  who: lane,
  outcome,
  said,
  start,
  end,
  inferred: sure !== undefined,
})

const arrowLine = ({ seq, what, from, to: receiver, said, start, end }: Arrow): Line => ({
  seq,
  what: 'handoff',
  label: what,
  who: `${from} → ${receiver}`,
  outcome: end === undefined ? 'open' : said === 'rejected' ? 'back' : 'good',
  said,
  start,
  end,
  inferred: false,
})

const LOOKS: Readonly<Record<Outcome, readonly [IconName, Tone]>> = {
  open: ['play', 'work'],
  good: ['check', 'good'],
  bad: ['fail', 'bad'],
  back: ['back', 'warn'],
}

const took = ({ start, end }: Line): number | null => (end === undefined ? null : end - start)

const columnsFor = ({ id, at }: Viewed): readonly Column<Line>[] => [
  {
    id: 'start',
    title: 'Began',
    sort: ({ start }) => start,
    cell: ({ seq, start }) => <a href={to(['session', id, 'log'], { at, commit: seq })}>{stamp(start)}</a>,
  },
  { id: 'what', title: 'Kind', sort: ({ what }) => what, cell: ({ what }) => what },
  { id: 'label', title: 'What', grow: true, sort: ({ label }) => label, cell: ({ label }) => label },
  { id: 'who', title: 'Who', sort: ({ who }) => who, cell: ({ who }) => <span dir="ltr">{who}</span> },
  {
    id: 'said',
    title: 'Outcome',
    sort: ({ said }) => said,
    cell: ({ outcome, said, inferred }) => (
      <Badge icon={LOOKS[outcome][0]} tone={LOOKS[outcome][1]}>
        {said}
        {inferred ? ' (end inferred)' : ''}
      </Badge>
    ),
  },
  {
    id: 'took',
    title: 'Took',
    align: 'end',
    sort: took,
    cell: (line) => (line.end === undefined ? <span class="faint">–</span> : duration(line.end - line.start)),
  },
]
