/** One session: who it is, its tabs, the point that is viewed, and the tab itself. */
import { useRead } from '../api/session.ts'
import { Age } from '../parts/age.tsx'
import { Status } from '../parts/badge.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { TimeSlider } from '../parts/time-slider.tsx'
import { useRoute } from '../route/route.ts'
import { ForkButton } from './fork-button.tsx'
import { usePoint } from './point.ts'
import { ViewedContext, type SessionData, type Viewed } from './session.ts'
import { Tabs } from './tab-bar.tsx'
import { TABS } from './tabs.ts'

export function SessionPage({ session }: { readonly session: string }) {
  const found = useRead<SessionData>(session, '')
  return <Loaded of={found}>{({ data }) => <Opened data={data} />}</Loaded>
}

function Opened({ data }: { readonly data: SessionData }) {
  const { path, query } = useRoute()
  const at = query.get('at') ?? undefined
  const tab = TABS.find((each) => each.at === path[2]) ?? TABS[0]
  const frozen = at === undefined ? undefined : 'what was cannot be changed: go back to live'
  const point = usePoint(data.id, at, data.seq)
  const viewed: Viewed = { id: data.id, line: data, at, point, frozen }
  if (tab === undefined) return null
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
      <div class={at === undefined ? 'tab' : 'tab past'} role="tabpanel" aria-label={tab.title}>
        <tab.Tab key={tab.at} />
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
    {data.goal === null || data.goal === '' ? null : <p class="goal">{data.goal}</p>}
  </header>
)

const Fact = ({ name, children }: { readonly name: string; readonly children: preact.ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
