/** Takes messages and waits for them. The rest is made from the operations. */
import { membersOf, type Members } from '../../../kernel/json/members.ts'
import { accepted } from '../../../kernel/operation/answer.ts'
import type { Session } from '../../../kernel/session.ts'
import { quoted } from '../../../kernel/text/shell-word.ts'
import { receiveMessages, type InboxRequest } from '../../../waiting/inbox.ts'
import { written } from '../answer/answer.ts'
import type { Context } from '../context/context.ts'
import { assertNotWaiting, numberOf, textOf } from '../context/input.ts'
import { unlessStopped } from '../process/stopped.ts'
import { plain } from '../show/text.ts'
import { textAt } from '../show/view.ts'
import type { Command } from '../syntax/command.ts'

const receive: Command = {
  name: 'message receive',
  summary: 'take the next messages of an inbox; what is not acknowledged comes again',
  examples: ['message receive --as agent:worker-1', 'message receive --agent worker-1 --max 5 --wait 5m --json'],
  notes:
    'Each comes with a token: `message ack ID TOKEN` says that it is done, before the lease is over. --wait that brings nothing is exit 7.',
  parameters: [],
  flags: [
    {
      name: 'agent',
      field: 'agent',
      type: 'text',
      value: 'AGENT',
      summary: 'whose inbox; that of who asks when left out',
    },
    { name: 'max', field: 'max', type: 'number', value: 'N', summary: 'at most so many; 1 when left out' },
    {
      name: 'lease',
      field: 'lease',
      type: 'duration',
      value: 'TIME',
      summary: 'nobody else gets them for so long; 30s when left out',
    },
    {
      name: 'wait',
      field: 'wait',
      type: 'duration',
      value: 'TIME',
      summary: 'wait so long for one; not at all when left out',
    },
  ],
  shares: ['session', 'write'],
  run: async (context, input) => {
    const session = await context.session('write')
    const wait_ms = numberOf(input, 'wait') ?? 0
    const request = { agent: textOf(input, 'agent'), max: numberOf(input, 'max'), lease_ms: numberOf(input, 'lease') }
    const none = () => nothingText(session, request.agent ?? context.actor)
    if (wait_ms > 0) return told(await waited(context, session, { ...request, wait_ms }), session, none)
    const answer = await session.run('message.receive', request, context.options)
    const { value, events, repeated } = accepted(answer)
    if (context.options.dryRun === true && events.length > 0) return written(context, answer)
    const { data, text } = told(value, session, none)
    return { data: { ...data, ...(repeated === true ? { repeated } : {}) }, text }
  },
}

function waited(context: Context, session: Session, request: InboxRequest): Promise<unknown> {
  const { actor, signal, options } = context
  assertNotWaiting(options)
  return unlessStopped(signal, receiveMessages(session, { ...request, actor, signal }))
}

function told(value: unknown, session: Session, none: () => string) {
  const messages = Array.isArray(value) ? value.map((each) => membersOf(each)) : []
  return { data: { messages, seq: session.seq }, text: () => messages.map(lineOf).join('\n') || none() }
}

/** While an emergency is open, the others are held back. */
function nothingText(session: Session, actor: string): string {
  const agent = actor.replace(/^agent:/, '')
  const open: unknown = session.get(`$.communication.messages.inboxes[${JSON.stringify(agent)}].emergencies`)
  if (typeof open !== 'number' || open === 0) return 'no messages'
  return `nothing before the emergency that was taken is acknowledged: steadfold message list --agent ${quoted(plain(agent))}`
}

function lineOf(row: Members): string {
  const words = ['id', 'token', 'from', 'type', 'priority'].map((field) => plain(String(row[field])))
  const payload = textAt(row['payload']) ?? JSON.stringify(row['payload'])
  return `${words.join('  ')}  ${plain(payload)}`
}

export const messageCommands: readonly Command[] = [receive]
