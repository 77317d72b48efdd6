/** What is typed into a field and not entered yet stays while the page is drawn anew, as it is with every commit. */
import type { TargetedEvent } from 'preact'
import { useEffect, useState } from 'preact/hooks'

interface DraftProps {
  readonly value: string
  readonly onInput: (event: TargetedEvent<HTMLInputElement>) => void
  /** Enter was pressed, or the field left. */
  readonly onChange: (event: TargetedEvent<HTMLInputElement>) => void
}

export function useDraft(value: string, enter: (text: string) => void): DraftProps {
  const [draft, write] = useState<string>()
  useEffect(() => write(undefined), [value])
  return {
    value: draft ?? value,
    onInput: (event) => write(event.currentTarget.value),
    onChange: (event) => {
      write(undefined)
      enter(event.currentTarget.value)
    },
  }
}
