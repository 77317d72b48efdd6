/** What to do about a need: the operation behind its command where one click can do it, else the place to look. */
import type { Need } from '../../../../src/kernel/care/inbox.ts'
import { operate } from '../../api/session.ts'
import { ActionButton } from '../../parts/action.tsx'
import { Of } from '../../parts/of.tsx'
import { to } from '../../route/route.ts'
import { wordsOf } from './words.ts'

export function NeedAction({ need }: { readonly need: Need }) {
  // Who belongs to no session is looked at in none.
  if (need.session === '') return null
  const { command, rest, flags } = wordsOf(need.next)
  const asked = ANSWERS[command] === undefined ? [] : rest.slice(0, 1)
  const of = <Of what={[...asked, need.what, need.name].join(', ')} />
  const answers = (ANSWERS[command] ?? [command]).flatMap((each) => {
    const act = ACTS[each]
    return act === undefined ? [] : [{ ...act, operation: each.replace(' ', '.') }]
  })
  if (answers.length === 0) {
    const [label, ...place] = placeOf(command, need)
    return (
      <a class="button" href={to(...place)}>
        {label}
        {of}
      </a>
    )
  }
  return (
    <span class="acts">
      {answers.map(({ operation, label, input }) => (
        <ActionButton
          key={operation}
          run={() => operate(need.session, operation, input(rest[0] ?? '', flags, rest[1] ?? ''))}
        >
          {label}
          {of}
        </ActionButton>
      ))}
    </span>
  )
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

/** Label and address of where one looks. */
function placeOf(command: string, { session, kind, since }: Need): readonly [string, ...Parameters<typeof to>] {
  const noun = command.split(' ', 1)[0] ?? ''
  if (noun === 'recover') return ['Recover', ['recover', session]]
  if (noun === 'verify') return ['Check', ['health']]
  const tab = ['session', session, TABS[noun] ?? 'timeline']
  if (noun !== 'message') return ['Look', tab]
  // A question is the last that was sent until then.
  return ['Look', tab, { q: `--type message.sent${kind === 'ASK' ? ` --until ${since}` : ''}` }]
}

const TABS: Readonly<Record<string, string>> = {
  task: 'tasks',
  dependency: 'tasks',
  lock: 'locks',
  message: 'log',
  chat: 'conversation',
  workflow: 'workflow',
  run: 'workflow',
}
