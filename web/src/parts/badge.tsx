/** A state as an icon and a word; the colour only repeats what they say. */
import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

export type Tone = 'plain' | 'work' | 'good' | 'warn' | 'bad'

interface BadgeProps {
  readonly icon: IconName
  readonly tone?: Tone
  readonly title?: string
  readonly children: ComponentChildren
}

export const Badge = ({ icon, tone = 'plain', title, children }: BadgeProps) => (
  <span class={`badge tone-${tone}`} title={title}>
    <Icon name={icon} />
    <span>{children}</span>
  </span>
)

/** For the statuses of sessions, steps, tasks, agents and whatever else has one. */
export function Status({ status }: { readonly status: string }) {
  const [icon, tone] = LOOKS[status] ?? (['idle', 'plain'] as const)
  return (
    <Badge icon={icon} tone={tone}>
      {status.replaceAll('_', ' ')}
    </Badge>
  )
}

type Look = readonly [IconName, Tone]

const WORK: Look = ['play', 'work']
const GOOD: Look = ['check', 'good']
const WAIT: Look = ['clock', 'plain']
const REST: Look = ['pause', 'plain']
const BAD: Look = ['fail', 'bad']
const BLOCKED: Look = ['block', 'warn']

const LOOKS: Readonly<Record<string, Look>> = {
  active: WORK,
  running: WORK,
  in_progress: WORK,
  claimed: WORK,
  started: WORK,
  working: WORK,
  finished: GOOD,
  completed: GOOD,
  current: WORK,
  intended: ['half', 'warn'],
  done: GOOD,
  accepted: GOOD,
  ready: ['idle', 'work'],
  pending: WAIT,
  queued: WAIT,
  waiting: WAIT,
  review: ['ask', 'warn'],
  parked: ['pause', 'warn'],
  suspended: REST,
  paused: REST,
  blocked: BLOCKED,
  recovering: ['loop', 'warn'],
  terminating: ['clock', 'warn'],
  departed: ['hand', 'plain'],
  unknown: ['ask', 'warn'],
  expired: ['clock', 'warn'],
  failed: BAD,
  rejected: BAD,
  cancelled: ['stop', 'plain'],
  lost: ['lost', 'bad'],
  damaged: ['alert', 'bad'],
  terminated: ['stop', 'plain'],
}
