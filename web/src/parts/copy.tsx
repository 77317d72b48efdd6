/** A command line that can be copied. */
import { useState } from 'preact/hooks'
import { Icon } from './icon.tsx'

const COPIED = 'copied'

export function Copy({ text }: { readonly text: string }) {
  const [said, copy] = useCopy(text, 'select it and copy it by hand')
  return (
    <span class="copy">
      <code>{text}</code>
      <button type="button" class="quiet" onClick={copy} aria-label={`Copy ${text}`}>
        <Icon name={said === COPIED ? 'check' : 'copy'} />
      </button>
      <span class="said" role="status">
        {said}
      </span>
    </span>
  )
}

/** What to say about it, for a moment, and how to do it; `otherwise` is said where the browser does not let it. */
export function useCopy(text: string, otherwise: string): readonly [said: string, copy: () => void] {
  const [said, say] = useState('')
  const copy = () =>
    void navigator.clipboard
      .writeText(text)
      .then(() => say(COPIED))
      .catch(() => say(otherwise))
      .finally(() => setTimeout(say, 2000, ''))
  return [said, copy]
}
