/** Events of conversations for tests: signed for real, by keys that are made of a number. */
import { createHash } from 'node:crypto'
import { finalizeEvent, getPublicKey } from 'nostr-tools/pure'
import { makeWorkspace, memoryKernel } from '../../src/compose.ts'
import type { ChatEvent, Template } from '../../src/domain/conversation/events.ts'
import { fixedHost } from './kit.ts'

/** The clock of `fixedHost`, in seconds. */
export const START_S = Date.UTC(2026, 0, 1) / 1000

const secretOf = (who: number) => new Uint8Array(createHash('sha256').update(`key ${who}`).digest())

export const publicKey = (who: number): string => getPublicKey(secretOf(who))

/** `at` counts from START_S. */
export function signed(
  who: number,
  content: string,
  { at = 0, kind = 1111, tags = [] }: Partial<Event> = {},
): ChatEvent {
  const made = finalizeEvent(
    { created_at: START_S + at, kind, tags: tags.map((tag) => [...tag]), content },
    secretOf(who),
  )
  const { id, pubkey, created_at, sig } = made
  return { id, pubkey, created_at, kind, tags, content, sig }
}

interface Event extends Omit<Template, 'created_at' | 'content'> {
  readonly at: number
}

export async function openChat() {
  const host = fixedHost()
  const kernel = { ...memoryKernel({ checkpoints: false }), host }
  const session = await makeWorkspace(kernel).createSession({ name: 'test' })
  const run = async (name: string, input: object, actor = 'human:ana') => {
    const answer = await session.run(`chat.${name}`, input, { actor })
    if (answer.kind === 'refused') throw new Error(`${answer.code} ${answer.message}`)
    return answer.value
  }
  const refused = async (name: string, input: object, actor = 'human:ana') => {
    const answer = await session.run(`chat.${name}`, input, { actor })
    return answer.kind === 'refused' ? answer.code : undefined
  }
  return { host, session, run, refused }
}

export type Chat = Awaited<ReturnType<typeof openChat>>
