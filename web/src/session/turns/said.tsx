import type { Message } from '../../../../src/domain/turns/events.ts'
import { useOperation } from '../../api/session.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { LongText } from '../../parts/long-text.tsx'
import { Moment } from '../../parts/moment.tsx'
import { OneOf } from '../../parts/of.tsx'
import { useViewed } from '../session.ts'

/** The last hundred messages of a channel, as text. */
export function Said({ channel }: { readonly channel: string }) {
  const { id, at } = useViewed()
  const messages = useOperation<readonly Message[]>(id, 'turn.messages', { channel }, at)
  return (
    <Loaded of={messages}>
      {(all) =>
        all.length === 0 ? (
          <p class="faint">Nothing was said yet.</p>
        ) : (
          <ol class="talk">
            {all.map(({ n, author, text, at: time, late }, i) => (
              <li key={n}>
                <p class="who">
                  <b>{author}</b> <Moment at={time} after={all[i - 1]?.at} />
                  {late ? ' · after its turn was over' : ''}
                </p>
                <p class="text">
                  <OneOf what={`message ${n} in ${channel}`}>
                    <LongText text={text} />
                  </OneOf>
                </p>
              </li>
            ))}
          </ol>
        )
      }
    </Loaded>
  )
}
