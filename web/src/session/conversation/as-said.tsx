import { Badge } from '../../parts/badge.tsx'
import { counted } from '../../parts/counted.ts'
import { LongText } from '../../parts/long-text.tsx'
import { Moment } from '../../parts/moment.tsx'
import { OneOf } from '../../parts/of.tsx'
import type { ConversationView } from './view.ts'

interface AsSaidProps {
  readonly view: ConversationView
  readonly onMore: () => void
}

/** All of it, in order. Of a long one the middle is left out until it is asked for, and that is said. */
export function AsSaid({ view: { shown, messages }, onMore }: AsSaidProps) {
  const left = messages - shown.length
  return (
    <ol class="talk">
      {shown.map(({ id, author, pubkey, at, content, signed, does }, i) => (
        <li key={id} class={pubkey.startsWith('human:') ? 'person' : ''}>
          {left > 0 && i === Math.floor(shown.length / 2) ? (
            <p class="notice">
              left out here: {counted(left, 'message')}{' '}
              <button type="button" class="quiet" onClick={onMore}>
                Show more
              </button>
            </p>
          ) : null}
          <p class="who">
            <b>{author}</b> <Moment at={at} after={shown[i - 1]?.at} />
            {signed ? <Badge icon="check">signed</Badge> : null} {does}
          </p>
          {content === '' ? null : (
            <p class="text">
              <OneOf what={`message ${i < shown.length / 2 ? i + 1 : i + 1 + left}`}>
                <LongText text={content} />
              </OneOf>
            </p>
          )}
        </li>
      ))}
    </ol>
  )
}
