/** A command line that can be copied. */
import { useState } from 'preact/hooks'
import { Icon } from './icon.tsx'

export function Copy({ text }: { readonly text: string }) {
  const [said, say] = useState('')
  const copy = () =>
    navigator.clipboard
      .writeText(text)
      .then(() => say('copied'))
      .catch(() => say('select it and copy it by hand'))
      .finally(() => setTimeout(say, 2000, ''))
  return (
    <span class="copy">
      <code>{text}</code>
      <button type="button" class="quiet" onClick={() => void copy()} aria-label={`Copy ${text}`}>
        <Icon name={said === 'copied' ? 'check' : 'copy'} />
      </button>
      <span class="said" role="status">
        {said}
      </span>
    </span>
  )
}
