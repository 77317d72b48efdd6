/** One session: who it is, its tabs, the point that is viewed, and the tab itself. */
import { useReadOnly } from '../api/daemon.ts'
import type { ApiError } from '../api/request.ts'
import { useRead } from '../api/session.ts'
import { NotFound } from '../app/not-found.tsx'
import { useSeeing } from '../pages/inbox/seen.ts'
import { Age } from '../parts/age.tsx'
import { Status } from '../parts/badge.tsx'
import { Failure } from '../parts/failure.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { LongText } from '../parts/long-text.tsx'
import { TimeSlider } from '../parts/time-slider.tsx'
import { useRoute } from '../route/route.ts'
import { useTitle } from '../route/title.ts'
import { ForkButton } from './fork-button.tsx'
import { usePoint } from './point.ts'
import { CLOSED, ViewedContext, type SessionData, type Viewed } from './session.ts'
import { Tabs } from './tab-bar.tsx'
import { TABS } from './tabs.ts'

/** An address may name a session in another way: what commits name, and what is followed, is its id. */
export function SessionPage({ session }: { readonly session: string }) {
  const found = useRead<SessionData>(session, '')
  // What was read of it before is no more.
  if (found.error?.code === 'SESSION_NOT_FOUND') return <Missing error={found.error} />
  return (
    <Loaded of={found}>
      {({ data }) => (data.id === session ? <Opened data={data} /> : <SessionPage session={data.id} />)}
    </Loaded>
  )
}

const MISSING = 'There is no such session'

function Missing({ error }: { readonly error: ApiError }) {
  useTitle(MISSING)
  return (
    <>
      <h1>{MISSING}</h1>
      <Failure error={error} />
    </>
  )
}

const IN_PAST = 'what was cannot be changed: go back to live'

function Opened({ data }: { readonly data: SessionData }) {
  const { path, query } = useRoute()
  const at = query.get('at') ?? undefined
  const tab = path[2] === undefined ? TABS[0] : TABS.find((each) => each.at === path[2])
  const readOnly = useReadOnly()
  const closed = CLOSED[data.status]
  const frozen = readOnly ?? closed ?? (at === undefined ? undefined : IN_PAST)
  const { seq: point, error } = usePoint(data.id, at, data.seq)
  const viewed: Viewed = { id: data.id, line: data, at, point, frozen, closed }
  useSeeing(data.id, data.seq)
  useTitle(tab?.title, data.name)
  if (tab === undefined) return <NotFound />
  return (
    <ViewedContext.Provider value={viewed}>
      <Head data={data} />
      <div class="pinned">
        <Tabs current={tab.at} />
        <TimeSlider
          session={data.id}
          point={point}
          seq={data.seq}
          marks={data.session?.marks ?? {}}
          fork={<ForkButton />}
        />
      </div>
      <div class={at === undefined ? 'tab' : 'tab past'}>
        {error === undefined ? <tab.Tab key={tab.at} /> : <Failure error={error} />}
      </div>
    </ViewedContext.Provider>
  )
}

const Head = ({ data }: { readonly data: SessionData }) => (
  <header class="session-head">
    <h1>{data.name}</h1>
    <Status status={data.status} />
    <dl class="facts">
      <Fact name="state">{data.workflow ?? '–'}</Fact>
      <Fact name="seq">{data.seq.toLocaleString('en')}</Fact>
      <Fact name="changed">
        <Age at={data.updated_at} />
      </Fact>
      {data.holder === null ? null : <Fact name="held by">{data.holder}</Fact>}
    </dl>
    {CLOSED[data.status] === undefined ? null : <p class="notice">{CLOSED[data.status]}</p>}
    {data.goal === null || data.goal === '' ? null : <Goal text={data.goal} />}
  </header>
)

/** A long one leaves room for what the tab shows. */
const Goal = ({ text }: { readonly text: string }) => (
  <p class="goal">
    <LongText text={text} piece={500} />
  </p>
)

const Fact = ({ name, children }: { readonly name: string; readonly children: preact.ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
