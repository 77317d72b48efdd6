/** Every command of this page and every session, found by a few letters. */
import { useState } from 'preact/hooks'
import { useStore } from '../store.ts'
import { useSessions } from '../api/sessions.ts'
import { go, to } from '../route/route.ts'
import { Dialog } from '../parts/dialog.tsx'
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
  const write = (event: Event & { readonly currentTarget: HTMLInputElement }) => {
    type(event.currentTarget.value)
    move(0)
  }
  const input = {
    role: 'combobox',
    'aria-expanded': true,
    'aria-controls': 'choices',
    'aria-activedescendant': chosen?.id,
  } as const
  return (
    <Dialog title="Go to or do" onClose={onClose}>
      <input
        {...input}
        aria-label="Go to or do"
        value={typed}
        onInput={write}
        onKeyDown={press}
        autoFocus
        autoComplete="off"
      />
      <ul class="choices" id="choices" role="listbox" aria-label="Commands and sessions">
        {found.map((choice) => (
          <li
            key={choice.id}
            id={choice.id}
            role="option"
            aria-selected={choice === chosen}
            onClick={() => run(choice)}
          >
            <span>{choice.title}</span> <span class="faint">{choice.note}</span>
            {choice.keys === undefined ? null : <Keys of={choice.keys} />}
          </li>
        ))}
      </ul>
      {found.length === 0 ? <p class="faint">Nothing is called that.</p> : null}
    </Dialog>
  )
}

function useChoices(): readonly Choice[] {
  const sessions = useSessions().data ?? []
  const open = (id: string) => () => go(to(['session', id, 'timeline']))
  return [
    ...useStore(commands).map(({ group, ...command }) => ({ ...command, note: group })),
    ...sessions.map(({ id, name, status }) => ({ id, title: name, note: `session, ${status}`, run: open(id) })),
  ]
}
