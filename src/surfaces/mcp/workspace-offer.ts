/** What a workspace offers to an agent. */
import { membersOf } from '../../kernel/json/members.ts'
import { agentOfSession } from '../../kernel/text/actor.ts'
import { callTool } from './call.ts'
import { asFailure, resourceFailure } from './errors.ts'
import type { Client, Offer } from './offer.ts'
import type { McpParts } from './parts.ts'
import { promptOf, PROMPTS } from './prompts.ts'
import { completeArgument, followResource, listResources, readResource } from './resources.ts'
import { toolsOf } from './tools.ts'
import { TEMPLATES } from './uris.ts'

const INSTRUCTIONS = `Steadfold keeps the state of teams of coding agents: a durable log that is folded into one document. \
Begin with session_show, or the prompt catch_up. Claim a task before you work on it and keep the token that the claim answers \
with. Acknowledge a message when it is dealt with. Lock what others may touch. A refusal says what to do instead. \
Send idempotency_key when you try something again, and expected_seq when it holds only if nobody wrote since.`

export async function workspaceOffer(parts: McpParts): Promise<Offer> {
  const tools = await toolsOf(parts.sessions.kernel.operations)
  const { sessions } = parts
  const actorOf = (client: Client): string => parts.actor ?? codexOf(client) ?? `agent:${agentName(client)}`
  return {
    name: 'steadfold',
    version: parts.version,
    instructions: INSTRUCTIONS,
    tools: tools.map(({ described }) => described),
    templates: TEMPLATES,
    prompts: PROMPTS,
    call: async (name, args, client) => {
      const tool = tools.find(({ described }) => described.name === name)
      if (tool === undefined) throw new Error(`there is no tool ${name}`)
      return callTool(tool, args, { parts, tools, actor: actorOf(client) })
    },
    resources: async (cursor) => proper(() => listResources(parts, cursor)),
    read: async (uri) => {
      try {
        const text = JSON.stringify(await readResource(parts, uri), null, 1)
        return { contents: [{ uri, mimeType: 'application/json', text }] }
      } catch (error) {
        throw resourceFailure(uri, error)
      }
    },
    prompt: (name, args, client) => proper(() => promptOf(parts, name, args, actorOf(client))),
    complete: (asked) => completeArgument(parts, asked),
    follow: (uri, changed) => proper(() => followResource(parts, uri, changed)),
    followList: (changed) => {
      const ends = [sessions.onHeld(changed), sessions.onLeft(changed)]
      return () => {
        for (const end of ends) end()
      }
    },
  }
}

/** Codex says with each call of which session it is, and clears the environment that says so to commands: its hook is called by that. */
function codexOf({ name, context }: Client): string | undefined {
  if (name !== 'codex-mcp-client') return undefined
  const { sessionId, threadId, 'x-codex-turn-metadata': turn } = membersOf(context.mcpReq._meta)
  const id = [sessionId, membersOf(turn)['session_id'], threadId].find((each) => typeof each === 'string')
  return id === undefined ? undefined : agentOfSession('codex', id)
}

/** A client by a name that an actor may have. */
const agentName = ({ name }: Client): string => name.replaceAll(/[\p{C}\s]+/gu, '-').slice(0, 100) || 'mcp'

async function proper<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task()
  } catch (error) {
    throw asFailure(error)
  }
}
