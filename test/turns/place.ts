/* A session with a clock that stands until it is moved, and short words for what is done to it. */
import { makeWorkspace, memoryKernel } from '../../src/compose.ts'
import type { Channel, ChannelConfig, Message, SeatState } from '../../src/domain/turns/events.ts'
import type { TurnRow } from '../../src/domain/turns/views.ts'
import type { Kernel } from '../../src/kernel/kernel.ts'
import type { Accepted } from '../../src/kernel/operation/answer.ts'
import { fixedHost } from '../conformance/kit.ts'

export async function begin(settings: Partial<ChannelConfig> = {}, ...agents: readonly string[]) {
  const host = fixedHost()
  const kernel: Kernel = { ...memoryKernel({ checkpoints: false }), host }
  const session = await makeWorkspace(kernel).createSession({ name: 'test' })
  /** What came of it: the code of the refusal, or the events without `turn.`. */
  const run = async (operation: string, input: object, actor = 'human:ana'): Promise<string> => {
    const answer = await session.run(operation, input, { actor })
    if (answer.kind === 'refused') return answer.code
    const own = answer.events.filter(({ type }) => type.startsWith('turn.'))
    return own.map(({ type }) => type.slice(5)).join(' ')
  }
  const done = async (operation: string, input: object, actor = 'human:ana'): Promise<Accepted> => {
    const answer = await session.run(operation, input, { actor })
    if (answer.kind === 'refused') throw new Error(answer.message)
    return answer
  }
  await done('channel.create', { channel: 'room', ...settings })
  for (const agent of agents) await done('turn.join', { channel: 'room', agent })
  const room = () => session.get('$.turns.channels.room') as Channel
  return {
    host,
    session,
    run,
    done,
    room,
    state: (agent: string): SeatState | 'absent' => room().seats[agent]?.state ?? 'absent',
    active: () => room().turn?.agent ?? null,
    say: (agent: string, text: string, more: object = {}) =>
      run('turn.say', { channel: 'room', text, ...more }, agent.includes(':') ? agent : `agent:${agent}`),
    rows: async () => (await done('turn.list', { channel: 'room' })).value as readonly TurnRow[],
    messages: async () => (await done('turn.messages', { channel: 'room' })).value as readonly Message[],
    /** One word for each commit: its events, those that time brought about as well. */
    log: async () => {
      const lines: string[] = []
      for await (const { events } of session.commits({ after: 0, live: false }))
        lines.push(events.map(({ type }) => type).join(' '))
      return lines
    },
  }
}

export type Place = Awaited<ReturnType<typeof begin>>
