/** For what cannot be taken back: the name is typed, so that no habit presses it. */
import { useState } from 'preact/hooks'
import { Dialog } from './dialog.tsx'

interface ConfirmProps {
  readonly title: string
  readonly name: string
  readonly warning: string
  readonly onYes: () => void
  readonly onClose: () => void
}

export function Confirm({ title, name, warning, onYes, onClose }: ConfirmProps) {
  const [typed, setTyped] = useState('')
  const fits = typed === name
  const submit = (event: Event) => {
    event.preventDefault()
    if (fits) onYes()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <p>{warning}</p>
        <label>
          Type <code>{name}</code> to go on
          <input value={typed} onInput={(event) => setTyped(event.currentTarget.value)} autoComplete="off" autoFocus />
        </label>
        <p class="buttons">
          <button type="submit" class="bad" aria-disabled={!fits}>
            {title}
          </button>
          <button type="button" onClick={onClose}>
            Keep it
          </button>
        </p>
      </form>
    </Dialog>
  )
}
