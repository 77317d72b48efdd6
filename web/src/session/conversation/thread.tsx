import { useState } from 'preact/hooks'
import { useOperation } from '../../api/session.ts'
import { Age } from '../../parts/age.tsx'
import { Badge, Status } from '../../parts/badge.tsx'
import { counted } from '../../parts/counted.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Switch } from '../../parts/switch.tsx'
import { useParam } from '../../route/route.ts'
import { useViewed } from '../session.ts'
import { AsGiven } from './as-given.tsx'
import { AsSaid } from './as-said.tsx'
import { Post } from './post.tsx'
import { agentsIn, type ConversationView } from './view.ts'

/** So many messages are read at first, and twice as many whenever more are asked for. */
const FIRST = 1000

export function Thread({ conversation }: { readonly conversation: string }) {
  const { id, at } = useViewed()
  const [last, show] = useState(FIRST)
  const shown = useOperation<ConversationView>(id, 'chat.show', { conversation, last }, at)
  const [eyes = ''] = useParam('as')
  return (
    <Loaded of={shown}>
      {(view) => (
        <section aria-label={view.title}>
          <header class="tools">
            <h2>{view.title}</h2>
            <Badge icon="loop">{view.phase}</Badge>
            {view.archived ? <Badge icon="pause">archived</Badge> : null}
            <span class="faint">
              {counted(view.messages, 'message')}, begun by {view.opener}
            </span>
          </header>
          <Switch name="as" label="As seen by" options={eyesOf(view)} />
          <Turns view={view} />
          {eyes === '' ? (
            <AsSaid view={view} onMore={() => show(2 * last)} />
          ) : (
            <AsGiven conversation={view.id} agent={eyes} />
          )}
          <Post conversation={view.id} unless={view.archived ? 'it is archived' : undefined} />
        </section>
      )}
    </Loaded>
  )
}

function eyesOf(view: ConversationView): readonly (readonly [string, string])[] {
  const unread = new Map(view.agents.map((each) => [each.agent, each.unread]))
  const titleOf = (agent: string) => {
    const count = unread.get(agent) ?? 0
    return `${agent.replace('agent:', '')}${count === 0 ? '' : ` (${count} unread)`}`
  }
  return [['', 'Everybody'], ...agentsIn(view).map((agent) => [agent, titleOf(agent)] as const)]
}

/** Who was asked for something, and who has not answered. */
const Turns = ({ view: { turns } }: { readonly view: ConversationView }) => (
  <ul class="routed">
    {turns.map(({ id, agents, status, missing, at }) => (
      <li key={id}>
        <Status status={status} /> · asked {agents.map(short).join(', ')} <Age at={at} /> ago
        {missing.length === 0 ? '' : `; waits for ${missing.map(short).join(', ')}`}
      </li>
    ))}
  </ul>
)

const short = (agent: string): string => agent.replace('agent:', '')
