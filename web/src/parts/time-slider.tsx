/*
 * The point in time that is viewed. It is pinned on every tab of a session; moving it changes nothing but the view.
 */
import type { ComponentChildren, TargetedEvent } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { read, sessionPath } from '../api/request.ts'
import { useResource } from '../api/resource.ts'
import { useCommands } from '../commands/commands.ts'
import { setParams, useParam } from '../route/route.ts'
import { useStore } from '../store.ts'
import { now } from './age.tsx'
import { Icon } from './icon.tsx'
import { longAge, stamp } from './time.ts'

interface TimeSliderProps {
  readonly session: string
  /** What is viewed; undefined while nobody knows yet where that is. */
  readonly point: number | undefined
  /** Of the last commit. */
  readonly seq: number
  readonly marks: Readonly<Record<string, number>>
  readonly fork?: ComponentChildren
}

/** A drag goes over many points: only where it rests is read. */
const REST_MS = 120

export function TimeSlider({ session, point, seq, marks, fork }: TimeSliderProps) {
  const [at] = useParam('at')
  const [dragged, drag] = useState<number>()
  const list = useId()
  useEffect(() => drag(undefined), [at])
  const shown = dragged ?? point ?? seq
  const view = useResting(viewPoint)
  const move = (to: number) => {
    const next = Math.max(1, Math.min(seq, to))
    drag(next)
    view(next, seq)
  }
  useTimeKeys(shown, seq, move)
  return (
    <div class={at === undefined ? 'slider' : 'slider past'}>
      <label class="unseen" for={`${list}-range`}>
        Point in time
      </label>
      <Step by={-1} shown={shown} seq={seq} move={move} />
      <input
        id={`${list}-range`}
        type="range"
        min={1}
        max={Math.max(1, seq)}
        value={shown}
        list={list}
        aria-valuetext={`commit ${shown} of ${seq}`}
        onInput={(event) => move(event.currentTarget.valueAsNumber)}
      />
      <datalist id={list}>
        {Object.entries(marks).map(([name, place]) => (
          <option key={name} value={place} label={name} />
        ))}
      </datalist>
      <Step by={1} shown={shown} seq={seq} move={move} />
      {at === undefined ? <Live seq={seq} /> : <Past session={session} at={at} point={point} marks={marks} />}
      {fork}
    </div>
  )
}

/** Not said aloud: it grows with each commit of everybody. */
const Live = ({ seq }: { readonly seq: number }) => (
  <output aria-live="off">
    <Icon name="pulse" />
    <span>
      <b>live</b>, at {seq.toLocaleString('en')}
    </span>
  </output>
)

interface Dated {
  readonly at: string
}

interface PastProps extends Pick<TimeSliderProps, 'session' | 'point' | 'marks'> {
  readonly at: string
}

/** "viewing 1640, 12 min ago, back to live" */
function Past({ session, at: asked, point, marks }: PastProps) {
  const load = async () => (await read<readonly Dated[]>(sessionPath(session, 'log'), { since: point, limit: 1 })).data
  const { data } = useResource(point === undefined ? undefined : `${session} commit ${point}`, load)
  const at = point === undefined ? undefined : data?.[0]?.at
  const time = useStore(now)
  const mark = point === undefined ? undefined : Object.keys(marks).find((name) => marks[name] === point)
  return (
    <output>
      <Icon name="clock" />
      <span title={at === undefined ? undefined : stamp(at)}>
        viewing <b>{point?.toLocaleString('en') ?? asked}</b>
        {mark === undefined ? '' : ` (${mark})`}
        {at === undefined ? null : <span aria-live="off">, {longAge(time - Date.parse(at))} ago</span>}
      </span>
      <button type="button" class="main" onClick={backToLive}>
        back to live
      </button>
    </output>
  )
}

/** The button goes away: the slider has the focus then. */
function backToLive({ currentTarget }: TargetedEvent<HTMLElement>): void {
  currentTarget.closest('.slider')?.querySelector('input')?.focus()
  setParams({ at: undefined }, {})
}

function Step({
  by,
  shown,
  seq,
  move,
}: {
  readonly by: number
  readonly shown: number
  readonly seq: number
  readonly move: (to: number) => void
}) {
  const off = by < 0 ? shown <= 1 : shown >= seq
  return (
    <button
      type="button"
      class="quiet"
      aria-disabled={off}
      onClick={() => move(shown + by)}
      aria-label={by < 0 ? 'One commit back' : 'One commit on'}
    >
      <Icon name={by < 0 ? 'back' : 'right'} />
    </button>
  )
}

/** The end of the slider is now, and goes on growing. */
function viewPoint(point: number, seq: number): void {
  setParams({ at: point >= seq ? undefined : point })
}

function useResting(task: (point: number, seq: number) => void) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  return (point: number, seq: number) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(task, REST_MS, point, seq)
  }
}

function useTimeKeys(shown: number, seq: number, move: (to: number) => void): void {
  useCommands(
    [
      { id: 'time-back', title: 'One commit back', keys: '[', group: 'Time', run: () => move(shown - 1) },
      { id: 'time-on', title: 'One commit on', keys: ']', group: 'Time', run: () => move(shown + 1) },
      {
        id: 'time-back-100',
        title: 'A hundredth back',
        keys: '{',
        group: 'Time',
        run: () => move(shown - Math.ceil(seq / 100)),
      },
      {
        id: 'time-on-100',
        title: 'A hundredth on',
        keys: '}',
        group: 'Time',
        run: () => move(shown + Math.ceil(seq / 100)),
      },
      { id: 'time-live', title: 'Back to live', keys: 'L', group: 'Time', run: () => setParams({ at: undefined }, {}) },
    ],
    [shown, seq],
  )
}
