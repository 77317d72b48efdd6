/* What an import took over although it broke the rules of its document does not break them again when it leaves. */
import { isMembers, type Members } from '../../kernel/json/members.ts'

const AGENT = /^agent-[1-9]\d*$/

/** Names of agents to `agent-N`; those that have that form keep it. */
export function agentNames(
  agents: readonly unknown[],
  files: readonly unknown[],
  usage: Members,
): ReadonlyMap<string, string> {
  const named = [...agents.map((each) => idOf(each, 'id')), ...files.map((each) => idOf(each, 'agent_id'))]
  const counted = isMembers(usage['by_agent']) ? Object.keys(usage['by_agent']) : []
  const known = [...new Set([...named.filter((name) => name !== undefined), ...counted])]
  const used = new Set(known.filter((name) => AGENT.test(name)))
  const names = new Map<string, string>()
  for (const name of known) {
    let id = name
    for (let n = 1; !AGENT.test(id) || (id !== name && used.has(id)); n++)
      id = used.has(`agent-${n}`) ? '' : `agent-${n}`
    used.add(id)
    names.set(name, id)
  }
  return names
}

function idOf(value: unknown, member: string): string | undefined {
  const id = isMembers(value) ? value[member] : undefined
  return typeof id === 'string' ? id : undefined
}

type Names = ReadonlyMap<string, string>

const renamed = (value: unknown, names: Names): unknown =>
  typeof value === 'string' ? (names.get(value) ?? value) : value

/** One that waits for somebody who is not in the document waits for nobody there. */
export const mendedAgent = (agent: unknown, names: Names): unknown =>
  isMembers(agent)
    ? {
        ...agent,
        id: renamed(agent['id'], names),
        blocking_on: names.get(String(agent['blocking_on'])) ?? null,
      }
    : agent

export const mendedFile = (file: unknown, names: Names): unknown =>
  isMembers(file)
    ? {
        ...file,
        agent_id: renamed(file['agent_id'], names),
        hash_before: hashOf(file['hash_before'], 64),
        hash_after: hashOf(file['hash_after'], 64),
      }
    : file

const hashOf = (value: unknown, digits: number): string | null =>
  typeof value === 'string' && value.length === digits && /^[0-9a-f]+$/.test(value) ? value : null

export const mendedUsage = (usage: Members, names: Names): Members => ({
  ...usage,
  by_agent: Object.fromEntries(
    Object.entries(isMembers(usage['by_agent']) ? usage['by_agent'] : {}).flatMap(([name, tokens]) => {
      const id = names.get(name)
      return id === undefined ? [] : [[id, tokens]]
    }),
  ),
})

export const mendedMetadata = (metadata: Members): Members => ({
  ...metadata,
  ...('git_commit' in metadata ? { git_commit: hashOf(metadata['git_commit'], 40) } : {}),
})

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Undefined where it has not the form it must have. */
export const uuidOf = (value: unknown): string | undefined =>
  typeof value === 'string' && UUID.test(value) ? value : undefined

export const absolute = (value: unknown): string | undefined =>
  typeof value === 'string' && /^(?:\/|[A-Za-z]:[\\/])/.test(value) ? value : undefined
