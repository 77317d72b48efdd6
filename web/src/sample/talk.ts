import { ADA, BEN, CLEO, LEAD, MINUTE, SAM, SECOND, type Scene } from './play.ts'

const CHAT = 'auth-plan'
const ROOM = 'design'

interface Said {
  readonly id: string
}

/** A conversation that ben has not followed. */
export async function talk(scene: Scene): Promise<void> {
  const { as, later } = scene
  await as(SAM, 'chat.open', {
    id: CHAT,
    title: 'How people sign in',
    text: 'How shall people sign in? Keep it boring.',
  })
  await as(LEAD, 'chat.route', {
    conversation: CHAT,
    agents: ['ada', 'ben'],
    why: 'one knows the service, one the hash',
  })
  later(30 * SECOND)
  await say(scene, BEN, 'Passwords first. I measured argon2id: 92 ms on the smallest machine.')
  await say(scene, ADA, 'Sessions go into the database that is there. Nothing new to run.')
  await seen(scene, 'ben')
  later(MINUTE)
  await say(scene, ADA, 'Tokens are stored hashed, so that a copy of the table opens nothing.')
  await as(ADA, 'chat.complete', { conversation: CHAT, text: 'That is all from me: rows, hashed, rotated at login.' })
  later(MINUTE)
  await say(scene, CLEO, 'Limit tries by account. By address locks out a whole office.')
  await say(scene, SAM, 'Good. And people who forget their password?')
}

const say = ({ as }: Scene, actor: string, text: string): Promise<Said> =>
  as<Said>(actor, 'chat.post', { conversation: CHAT, text })

async function seen({ as }: Scene, agent: string): Promise<void> {
  const { cursor } = await as<{ readonly cursor: object }>(`agent:${agent}`, 'chat.build', {
    conversation: CHAT,
    agent,
  })
  await as(`agent:${agent}`, 'chat.seen', { conversation: CHAT, agent, cursor })
}

/** Agents speak one after the other. Last of all, for turns end by time. */
export async function room({ as, later }: Scene): Promise<void> {
  await as(SAM, 'channel.create', {
    channel: ROOM,
    name: 'Design round',
    mode: 'turn-based',
    timeout_ms: 30 * MINUTE,
    max_turns: 40,
  })
  for (const agent of ['lead', 'ada', 'ben', 'cleo']) await as(`agent:${agent}`, 'turn.join', { channel: ROOM, agent })
  await as(LEAD, 'turn.start', { channel: ROOM })
  await as(LEAD, 'turn.say', { channel: ROOM, text: 'Names of the tables? TURN_COMPLETE', tokens: 900 })
  later(20 * SECOND)
  await as(ADA, 'turn.say', { channel: ROOM, text: 'accounts and account_sessions. TURN_COMPLETE', tokens: 1200 })
}
