/** Conversations: all of one, or what a certain agent is given of it. */
import { useOperation } from '../../api/session.ts'
import { Empty } from '../../parts/empty.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useParam } from '../../route/route.ts'
import { useViewed } from '../session.ts'
import { choicesIn, chosenOf, type ConversationRow } from './choice.ts'
import { Thread } from './thread.tsx'

export function ConversationTab() {
  const { id, at } = useViewed()
  const conversations = useOperation<readonly ConversationRow[]>(id, 'chat.list', { all: true }, at)
  const [named] = useParam('chat')
  return (
    <Loaded of={conversations}>
      {(rows) => {
        if (rows.length === 0) return <NoTalk />
        const chosen = chosenOf(rows, named)
        return (
          <>
            <Choice rows={choicesIn(rows)} chosen={chosen} />
            {chosen === undefined ? (
              <p class="notice">No conversation is called {named} here.</p>
            ) : (
              <Thread key={chosen.id} conversation={chosen.id} />
            )}
          </>
        )
      }}
    </Loaded>
  )
}

interface ChoiceProps {
  readonly rows: readonly ConversationRow[]
  readonly chosen: ConversationRow | undefined
}

function Choice({ rows, chosen }: ChoiceProps) {
  const [, choose] = useParam('chat')
  if (rows.length === 1 && chosen !== undefined) return null
  return (
    <label class="tools">
      Conversation
      <select value={chosen?.id ?? ''} onChange={(event) => choose(event.currentTarget.value)}>
        {chosen === undefined ? (
          <option value="" disabled>
            choose one
          </option>
        ) : null}
        {rows.map((row) => (
          <option key={row.id} value={row.id}>
            {row.title} ({row.messages}){row.archived ? ', archived' : ''}
          </option>
        ))}
      </select>
    </label>
  )
}

const NoTalk = () => (
  <Empty title="No conversations yet" commands={COMMANDS}>
    Each agent is given what was said while it was away.
  </Empty>
)

const COMMANDS = [
  ['steadfold chat open "how people sign in"', 'begins a conversation'],
  ['steadfold chat post ID "argon2 or bcrypt?" --as agent:ben', 'says something in it'],
  ['steadfold chat read ID ben', 'what ben is given, and noted as read'],
] as const
