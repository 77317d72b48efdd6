/** Every command of this page and every session, found by a few letters. */
import { useState } from 'preact/hooks'
import { useSessions } from '../api/sessions.ts'
import { Dialog } from '../parts/dialog.tsx'
import { go, to } from '../route/route.ts'
import { useStore } from '../store.ts'
import { commands } from './commands.ts'
import { Keys } from './key-map.tsx'
import { ranked } from './rank.ts'

interface Choice {
  readonly id: string
  readonly title: string
  readonly note: string
  readonly keys?: string | undefined
  readonly run: () => void
}

const MOST = 12

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [typed, type] = useState('')
  const [at, move] = useState(0)
  const found = ranked(useChoices(), typed, ({ title, note }) => `${title} ${note}`).slice(0, MOST)
  const chosen = found[Math.min(at, found.length - 1)]
  const run = (choice: Choice | undefined) => {
    onClose()
    choice?.run()
  }
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) move(Math.max(0, Math.min(found.length - 1, at + step)))
    else if (event.key === 'Enter') run(chosen)
    else return
    event.preventDefault()
  }
  const write = (text: string) => {
    type(text)
    move(0)
  }
  return (
    <Dialog title="Go to or do" onClose={onClose}>
      <Field value={typed} chosen={chosen?.id} onWrite={write} onPress={press} />
      <ul class="choices" id="choices" role="listbox" aria-label="Commands and sessions">
        {found.map((choice) => (
          <Line key={choice.id} choice={choice} isChosen={choice === chosen} run={run} />
        ))}
      </ul>
      {found.length === 0 ? <p class="faint">Nothing is called that.</p> : null}
    </Dialog>
  )
}

interface FieldProps {
  readonly value: string
  readonly chosen: string | undefined
  readonly onWrite: (text: string) => void
  readonly onPress: (event: KeyboardEvent) => void
}

const Field = ({ value, chosen, onWrite, onPress }: FieldProps) => (
  <input
    role="combobox"
    aria-expanded
    aria-controls="choices"
    aria-activedescendant={chosen}
    aria-label="Go to or do"
    value={value}
    onInput={(event) => onWrite(event.currentTarget.value)}
    onKeyDown={onPress}
    autoFocus
    autoComplete="off"
  />
)

interface LineProps {
  readonly choice: Choice
  readonly isChosen: boolean
  readonly run: (choice: Choice) => void
}

const Line = ({ choice, isChosen, run }: LineProps) => (
  <li id={choice.id} role="option" aria-selected={isChosen} onClick={() => run(choice)}>
    <span>{choice.title}</span> <span class="faint">{choice.note}</span>
    {choice.keys === undefined ? null : <Keys of={choice.keys} />}
  </li>
)

function useChoices(): readonly Choice[] {
  const sessions = useSessions().data ?? []
  const open = (id: string) => () => go(to(['session', id, 'timeline']))
  return [
    ...useStore(commands).map(({ group, ...command }) => ({ ...command, note: group })),
    ...sessions.map(({ id, name, status }) => ({ id, title: name, note: `session, ${status}`, run: open(id) })),
  ]
}
