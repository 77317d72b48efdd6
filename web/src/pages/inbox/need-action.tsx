/** What to do about a need: the operation behind its command where one click can do it, else the place to look. */
import type { Need } from '../../../../src/kernel/care/inbox.ts'
import { operate } from '../../api/session.ts'
import { ActionButton } from '../../parts/action.tsx'
import { to } from '../../route/route.ts'
import { wordsOf } from './words.ts'

export function NeedAction({ need }: { readonly need: Need }) {
  const { command } = wordsOf(need.next)
  if (ACTS[command] !== undefined) {
    return (
      <span class="acts">
        {(ANSWERS[command] ?? [command]).map((each) => (
          <Answer key={each} need={need} command={each} />
        ))}
      </span>
    )
  }
  const [label, path] = placeOf(command, need.session)
  return (
    <a class="button" href={to(path)}>
      {label}
    </a>
  )
}

function Answer({ need, command }: { readonly need: Need; readonly command: string }) {
  const { rest, flags } = wordsOf(need.next)
  const act = ACTS[command]
  const run = () =>
    operate(need.session, command.replace(' ', '.'), act?.input(rest[0] ?? '', flags, rest[1] ?? '') ?? {})
  return <ActionButton run={run}>{act?.label}</ActionButton>
}

/** What is asked of a person has two answers; the one that is told comes first. */
const ANSWERS: Readonly<Record<string, readonly string[]>> = {
  'consent grant': ['consent grant', 'consent deny'],
  'consent deny': ['consent deny', 'consent grant'],
}

type Flags = Readonly<Record<string, string>>

interface Act {
  readonly label: string
  readonly input: (word: string, flags: Flags, second: string) => Readonly<Record<string, unknown>>
}

const consentFor: Act['input'] = (operation, flags) => ({ operation, for: flags['for'] ?? '*' })

/** By the words of the command, which are those of the operation. */
const ACTS: Readonly<Record<string, Act>> = {
  'consent grant': { label: 'Grant', input: consentFor },
  'consent deny': { label: 'Deny', input: consentFor },
  'step release': { label: 'Release', input: (step) => ({ step }) },
  'step retry': { label: 'Retry', input: (step) => ({ step }) },
  'task retry': { label: 'Retry', input: (task) => ({ task }) },
  'task unblock': { label: 'Unblock', input: (task) => ({ task }) },
  'session resume': { label: 'Resume', input: () => ({}) },
  'session extend': { label: 'Give 8 hours', input: (hours) => ({ hours: Number(hours) }) },
  'turn resume': { label: 'Resume', input: (channel) => ({ channel }) },
  'message revive': { label: 'Revive', input: (id, _flags, agent) => ({ id, agent }) },
  'dependency break': { label: 'Break the circle', input: (from, _flags, to) => ({ from, to }) },
  'workflow retry': { label: 'Retry', input: (_word, { approve }) => ({ approve: approve !== undefined }) },
  'supervise retry': { label: 'Retry', input: (_word, flags) => ({ supervisor: flags['supervisor'] }) },
}

/** Label and path of where one looks. */
function placeOf(command: string, session: string): readonly [string, readonly string[]] {
  const noun = command.split(' ', 1)[0] ?? ''
  if (noun === 'recover') return ['Recover', ['recover', session]]
  if (noun === 'verify') return ['Check', ['health']]
  return ['Look', ['session', session, TABS[noun] ?? 'timeline']]
}

const TABS: Readonly<Record<string, string>> = {
  task: 'tasks',
  dependency: 'tasks',
  lock: 'locks',
  message: 'locks',
  chat: 'conversation',
  workflow: 'workflow',
  run: 'workflow',
}
