import type { Built, BuiltMessage } from '../../../../src/domain/conversation/build.ts'
import { useOperation } from '../../api/session.ts'
import { Badge } from '../../parts/badge.tsx'
import { counted } from '../../parts/counted.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { LongText } from '../../parts/long-text.tsx'
import { OneOf } from '../../parts/of.tsx'
import { useViewed } from '../session.ts'

const AWAY = '=== MESSAGES WHILE YOU WERE AWAY ==='
const HERE = '=== END OF MESSAGES WHILE YOU WERE AWAY ==='

interface AsGivenProps {
  readonly conversation: string
  readonly agent: string
}

/** The messages as the next prompt of an agent would hold them; looking marks nothing as read. */
export function AsGiven({ conversation, agent }: AsGivenProps) {
  const { id, at } = useViewed()
  const built = useOperation<Built>(id, 'chat.build', { conversation, agent }, at)
  return (
    <Loaded of={built}>
      {({ messages, unread, omitted, tokens }) => (
        <>
          <p class="faint">
            {unread === 0 ? 'It has seen everything.' : `${unread} unread.`}
            {omitted === 0 ? '' : ` ${omitted} left out for its budget.`} About {counted(tokens, 'token')}{' '}
            <Badge icon="ask" title="by the length of the text; no model has counted it">
              estimated
            </Badge>
          </p>
          <Messages messages={messages} />
        </>
      )}
    </Loaded>
  )
}

function Messages({ messages }: { readonly messages: readonly BuiltMessage[] }) {
  const from = messages.findIndex(isBuilders(AWAY))
  const to = messages.findLastIndex(isBuilders(HERE))
  if (from < 0 || to < from) return <List messages={messages} />
  return (
    <>
      <List messages={messages.slice(0, from)} />
      <section class="away" aria-labelledby="away">
        <h3 id="away">While it was away</h3>
        <List messages={messages.slice(from + 1, to)} />
      </section>
      <List messages={messages.slice(to + 1)} />
    </>
  )
}

/** What an agent said looks like a frame as often as it wants to: only the builder's own has no event. */
const isBuilders =
  (line: string) =>
  ({ content, event }: BuiltMessage): boolean =>
    event === undefined && content === line

const List = ({ messages }: { readonly messages: readonly BuiltMessage[] }) => (
  <ol class="talk">
    {messages.map(({ role, name, content, event }, i) => (
      <li key={event ?? i} class={role === 'user' ? 'person' : ''}>
        <p class="who">
          <b>{name ?? (role === 'assistant' ? 'itself' : 'Steadfold')}</b> <span class="faint">as {role}</span>
        </p>
        <p class="text">
          <OneOf what={`message ${event ?? i + 1}`}>
            <LongText text={content} />
          </OneOf>
        </p>
      </li>
    ))}
  </ol>
)
