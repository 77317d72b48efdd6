/** A field for what is said once, and the button that says it. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { newKey } from '../api/session.ts'
import { ActionButton } from './action.tsx'

interface SayProps {
  readonly label: ComponentChildren
  readonly button: ComponentChildren
  readonly placeholder: string
  readonly say: (text: string, $key: string) => Promise<unknown>
  /** Why nothing can be said. */
  readonly unless?: string | undefined
  /** Hears whether something is written. */
  readonly onDraft?: (isWritten: boolean) => void
}

/** What is being written. */
interface Draft {
  readonly text: string
  /** Stays until it is said: when an answer was lost on its way, pressing again says nothing twice. */
  readonly key: string
}

const draftOf = (text: string): Draft => ({ text, key: newKey() })

export function Say({ label, button, placeholder, say, unless, onDraft }: SayProps) {
  const [draft, write] = useState(() => draftOf(''))
  const { text, key } = draft
  useEffect(() => onDraft?.(text !== ''), [text !== ''])
  const run = async () => {
    await say(text, key)
    // Whoever went on writing meanwhile keeps that.
    write((now) => (now === draft ? draftOf('') : now))
  }
  return (
    <div class="say">
      <label>
        {label}
        <textarea
          rows={2}
          value={text}
          placeholder={placeholder}
          onInput={(event) => write(draftOf(event.currentTarget.value))}
        />
      </label>
      <ActionButton tone="main" run={run} unless={unless ?? (text.trim() === '' ? 'it says nothing yet' : undefined)}>
        {button}
      </ActionButton>
    </div>
  )
}
