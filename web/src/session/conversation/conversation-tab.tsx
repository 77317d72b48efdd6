/** Conversations: all of one, or what a certain agent is given of it. */
import { useOperation } from '../../api/session.ts'
import { Empty } from '../../parts/empty.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useParam } from '../../route/route.ts'
import { useViewed } from '../session.ts'
import { Thread } from './thread.tsx'

interface ConversationRow {
  readonly id: string
  readonly title: string
  readonly phase: string
  readonly messages: number
}

export function ConversationTab() {
  const { id, at } = useViewed()
  const conversations = useOperation<readonly ConversationRow[]>(id, 'chat.list', { archived: true }, at)
  const [named, choose] = useParam('chat')
  return (
    <Loaded of={conversations}>
      {(rows) => {
        const chosen = rows.find((row) => row.id === named) ?? rows[0]
        if (chosen === undefined) return <NoTalk />
        return (
          <>
            {rows.length === 1 ? null : (
              <label class="tools">
                Conversation
                <select value={chosen.id} onChange={(event) => choose(event.currentTarget.value)}>
                  {rows.map((row) => (
                    <option key={row.id} value={row.id}>
                      {row.title} ({row.messages})
                    </option>
                  ))}
                </select>
              </label>
            )}
            <Thread key={chosen.id} conversation={chosen.id} />
          </>
        )
      }}
    </Loaded>
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
  ['steadfold chat read ID --agent ben', 'what ben is given, and noted as read'],
] as const
