import { operate } from '../../api/session.ts'
import { Say } from '../../parts/say.tsx'
import { useViewed } from '../session.ts'

interface PostProps {
  readonly conversation: string
  /** Why nothing can be said in it. */
  readonly unless: string | undefined
}

/** As a person, in the present. */
export function Post({ conversation, unless }: PostProps) {
  const { id, frozen } = useViewed()
  return (
    <Say
      label={<span class="unseen">Your message</span>}
      button="Post"
      placeholder="Say something to all of them"
      say={(text, $key) => operate(id, 'chat.post', { conversation, text, $key })}
      unless={frozen ?? unless}
    />
  )
}
