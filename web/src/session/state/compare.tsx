/** What changed between A and the point that is viewed, and by whom. */
import { read, sessionPath } from '../../api/request.ts'
import { asOf, useResource } from '../../api/resource.ts'
import { Badge } from '../../parts/badge.tsx'
import { counted } from '../../parts/counted.ts'
import { JsonTree } from '../../parts/json-tree.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { LongText } from '../../parts/long-text.tsx'
import { OneOf } from '../../parts/of.tsx'
import { Table, type Column } from '../../parts/table.tsx'
import { to } from '../../route/route.ts'
import { useViewed, type Viewed } from '../session.ts'

interface Change {
  readonly kind: 'added' | 'removed' | 'changed'
  readonly path: string
  readonly before?: unknown
  readonly after?: unknown
  readonly by: { readonly seq: number; readonly actor: string; readonly op: string } | null
  /** It says again, in another order, what stands elsewhere. */
  readonly index?: true
}

interface Difference {
  readonly from: number
  readonly to: number
  readonly commits: number
  readonly actors: Readonly<Record<string, number>>
  readonly changes: readonly Change[]
}

export function Compare({ from }: { readonly from: string }) {
  const viewed = useViewed()
  const { id, at } = viewed
  const load = async () => (await read<Difference>(sessionPath(id, 'diff'), { from, to: at })).data
  // One name for now, however fast the session grows: what has a name of its own is read at once, beside all others.
  const found = useResource(`${id} diff ${from} ${at ?? ''}`, load, asOf(id, at))
  return <Loaded of={found}>{(data) => <Changes of={data} viewed={viewed} />}</Loaded>
}

function Changes({ of, viewed }: { readonly of: Difference; readonly viewed: Viewed }) {
  const told = of.changes.filter(({ index }) => index === undefined)
  const indexes = of.changes.filter(({ index }) => index)
  const table = (rows: readonly Change[], caption: string) => (
    <Table caption={caption} columns={columnsFor(viewed)} rows={rows} keyOf={({ path }) => path} />
  )
  const actors = Object.entries(of.actors).map(([actor, commits]) => `${actor} (${commits})`)
  return (
    <>
      <p>
        <b>
          {of.from} → {of.to}
        </b>
        : {counted(told.length, 'place')}, {counted(of.commits, 'commit')}
        {actors.length > 0 ? `, by ${actors.join(' ')}` : ''}
      </p>
      {table(told, `Changes from ${of.from} to ${of.to}`)}
      {indexes.length === 0 ? null : (
        <details>
          <summary>{indexes.length} more in indexes</summary>
          {table(indexes, `Changes of indexes from ${of.from} to ${of.to}`)}
        </details>
      )}
    </>
  )
}

const KINDS = {
  added: ['plus', 'good'],
  removed: ['minus', 'bad'],
  changed: ['half', 'warn'],
} as const

const Value = ({ what, of }: { readonly what: string; readonly of: unknown }) => (
  <OneOf what={what}>
    {of === undefined ? null : typeof of === 'object' && of !== null ? (
      <JsonTree value={of} name={Array.isArray(of) ? 'list' : 'object'} open={0} />
    ) : (
      <code>
        <LongText text={JSON.stringify(of)} />
      </code>
    )}
  </OneOf>
)

const columnsFor = ({ id, at }: Viewed): readonly Column<Change>[] => [
  {
    id: 'kind',
    title: 'Kind',
    sort: ({ kind }) => kind,
    cell: ({ kind }) => (
      <Badge icon={KINDS[kind][0]} tone={KINDS[kind][1]}>
        {kind}
      </Badge>
    ),
  },
  { id: 'path', title: 'Place', sort: ({ path }) => path, cell: ({ path }) => <code>{path}</code> },
  { id: 'before', title: 'Before', cell: ({ path, before }) => <Value what={`${path} before`} of={before} /> },
  { id: 'after', title: 'After', grow: true, cell: ({ path, after }) => <Value what={`${path} after`} of={after} /> },
  {
    id: 'by',
    title: 'By',
    sort: ({ by }) => by?.seq ?? null,
    cell: ({ by }) =>
      by === null ? (
        <span class="faint">–</span>
      ) : (
        <>
          <a href={to(['session', id, 'log'], { at, commit: by.seq })}>{by.seq}</a> {by.actor}
        </>
      ),
  },
]
