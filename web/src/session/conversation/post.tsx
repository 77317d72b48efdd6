import { useState } from 'preact/hooks'
import { operate } from '../../api/session.ts'
import { ActionButton } from '../../parts/action.tsx'
import { useViewed } from '../session.ts'

interface PostProps {
  readonly conversation: string
  /** Why nothing can be said in it. */
  readonly unless: string | undefined
}

/** As a person, in the present. */
export function Post({ conversation, unless }: PostProps) {
  const { id, frozen } = useViewed()
  const [text, type] = useState('')
  const post = async () => {
    await operate(id, 'chat.post', { conversation, text })
    type('')
  }
  return (
    <div class="post">
      <label>
        <span class="unseen">Your message</span>
        <textarea
          rows={2}
          value={text}
          placeholder="Say something to all of them"
          onInput={(event) => type(event.currentTarget.value)}
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
