/** Who worked on what and when: a lane for each, bars for steps, tasks and turns, arrows for what was handed over. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Chart } from '../../parts/chart.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { useViewed } from '../session.ts'
import { BarTable } from './bar-table.tsx'
import { Drawing } from './drawing.tsx'
import { Legend } from './legend.tsx'
import type { Story } from './story.ts'
import { useStory } from './use-story.ts'

/** More can neither be drawn fast nor told apart. */
const MOST_BARS = 500

export function TimelineTab() {
  const { story, cut, error } = useStory()
  return (
    <>
      {error === undefined ? null : <Failure error={error} />}
      {story !== undefined ? <Known story={story} cut={cut} /> : error === undefined && <p class="waiting">Reading…</p>}
    </>
  )
}

const Known = ({ story, cut }: ToldProps) =>
  story.bars.length + story.states.length + story.present.size === 0 ? <Nothing /> : <Told story={story} cut={cut} />

interface ToldProps {
  readonly story: Story
  readonly cut: boolean
}

function Told({ story, cut }: ToldProps) {
  const { bars } = story
  const many = `${bars.length.toLocaleString('en')} bars are too many to tell apart in a drawing: this is the list of them.`
  return (
    <>
      {cut ? <p class="notice">Only the last 10,000 commits of work are read: earlier ones are in the log.</p> : null}
      <Chart
        title="Timeline"
        chart={<Sized story={story} />}
        table={<BarTable story={story} />}
        without={bars.length > MOST_BARS ? many : undefined}
        legend={<Legend />}
      />
    </>
  )
}

const LEAST_PX = 520

/** As wide as there is room. */
function Sized({ story }: { readonly story: Story }) {
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    setWidth(element.clientWidth)
    return () => observer.disconnect()
  }, [])
  const now = useEnd(story)
  return (
    <div class="timeline" ref={box}>
      {width === 0 ? null : <Drawing story={story} width={Math.max(LEAST_PX, width)} now={now} />}
    </div>
  )
}

const TICK_MS = 2000

/** Where what is under way ends: now, or the last that is known of when the past is viewed. */
function useEnd({ bars, states, arrows, signs }: Story): number {
  const { at } = useViewed()
  const [now, tick] = useState(Date.now)
  const isGoing = at === undefined && bars.some(({ end }) => end === undefined)
  useEffect(() => {
    if (!isGoing) return
    const timer = setInterval(() => tick(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [isGoing])
  if (isGoing) return now
  const known = [...bars, ...arrows].map(({ start, end = start }) => end)
  return Math.max(...known, ...states.map(({ start }) => start), ...signs.values())
}

const Nothing = () => (
  <Empty
    title="Nobody has worked here yet"
    commands={[
      ['steadfold run FILE', 'runs the steps of a workflow'],
      ['steadfold agent register ada worker', 'lets an agent join'],
      ['steadfold task add "what is to be done"', 'writes a task down that agents can claim'],
    ]}
  >
    Steps, tasks, turns and handoffs stand here by who did them and when.
  </Empty>
)
