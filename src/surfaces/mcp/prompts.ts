import type { GetPromptResult, Prompt } from '@modelcontextprotocol/server'
import { EngineError } from '../../kernel/error.ts'
import { catchUp, handoffBrief, resumeBrief } from './briefs.ts'
import { chosenSession } from './choose.ts'
import type { McpParts } from './parts.ts'

type Words = Readonly<Record<string, string>>

const argument = (name: string, description: string) => ({ name, description, required: false })
const SESSION = argument('session', 'its name or id; the only active one when left out')
const AGENT = argument('agent', 'your name as an agent; that of --as, else of your client, when left out')

export const PROMPTS: readonly Prompt[] = [
  {
    name: 'resume_brief',
    title: 'Go on with a session',
    description: 'What is finished and kept, what is left, who holds what: for whoever goes on after a crash',
    arguments: [SESSION],
  },
  {
    name: 'handoff_brief',
    title: 'Hand work on',
    description: 'What the agent that takes over has to know, and the call that offers it the work',
    arguments: [
      SESSION,
      AGENT,
      argument('task', 'id of the task; all of yours when left out'),
      argument('to', 'who takes over'),
    ],
  },
  {
    name: 'catch_up',
    title: 'Catch up',
    description: 'Messages, offered work, your tasks, steps, and what happened since you were here',
    arguments: [SESSION, AGENT, argument('since', 'the sequence number you saw last')],
  },
]

/** `actor` asks, unless the words name an agent. */
export async function promptOf(parts: McpParts, prompt: string, words: Words, actor: string): Promise<GetPromptResult> {
  const { session: named, since, task, to } = words
  // An inbox goes by the name alone.
  const agent = (words['agent'] ?? actor).replace(/^agent:/, '')
  const text = await parts.sessions.use(await chosenSession(parts, named), async (session) => {
    const glance = await parts.glance(session)
    if (prompt === 'resume_brief') return resumeBrief(session, glance)
    if (prompt === 'catch_up') return catchUp(session, glance, { agent, since: sequence(since) })
    const asked = { agent, ...(task === undefined ? {} : { task }), ...(to === undefined ? {} : { to }) }
    return handoffBrief(session, glance, asked)
  })
  const { description = '' } = PROMPTS.find((each) => each.name === prompt) ?? {}
  return { description, messages: [{ role: 'user', content: { type: 'text', text } }] }
}

function sequence(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new EngineError('INPUT_INVALID', `since is a sequence number, not ${JSON.stringify(text)}`, {
    hint: 'leave it out to see the last commits',
  })
}
