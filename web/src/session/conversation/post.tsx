import { useState } from 'preact/hooks'
import { newKey, operate } from '../../api/session.ts'
import { ActionButton } from '../../parts/action.tsx'
import { useViewed } from '../session.ts'

interface PostProps {
  readonly conversation: string
  /** Why nothing can be said in it. */
  readonly unless: string | undefined
}

/** A message that is being written. */
interface Draft {
  readonly text: string
  /** Stays until it is said: when an answer was lost on its way, pressing again says nothing twice. */
  readonly key: string
}

const draftOf = (text: string): Draft => ({ text, key: newKey() })

/** As a person, in the present. */
export function Post({ conversation, unless }: PostProps) {
  const { id, frozen } = useViewed()
  const [draft, write] = useState(() => draftOf(''))
  const { text, key: $key } = draft
  const post = async () => {
    await operate(id, 'chat.post', { conversation, text, $key })
    // Whoever went on writing meanwhile keeps that.
    write((now) => (now === draft ? draftOf('') : now))
  }
  return (
    <div class="post">
      <label>
        <span class="unseen">Your message</span>
        <textarea
          rows={2}
          value={text}
          placeholder="Say something to all of them"
          onInput={(event) => write(draftOf(event.currentTarget.value))}
        />
      </label>
      <ActionButton
        tone="main"
        run={post}
        unless={frozen ?? unless ?? (text.trim() === '' ? 'it says nothing yet' : undefined)}
      >
        Post
      </ActionButton>
    </div>
  )
}
