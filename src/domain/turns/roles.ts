/* Who may take part in a channel. */
import { refuse, type Refusal } from '../../kernel/decision.ts'
import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import { quoted } from '../../kernel/text/shell-word.ts'
import type { OrganizationSlice } from '../organization/events.ts'
import { seatOf } from './channel.ts'
import type { Channel } from './events.ts'

/** Where a channel names roles: why this actor may not; tools act for whoever set them up. `own`: the role it comes with. */
export function shutOut(
  root: Readonly<Tree>,
  channel: Channel,
  actor: string,
  own: string | null = null,
): Refusal | undefined {
  const { roles = [] } = channel.config
  if (roles.length === 0 || actor.startsWith('tool:')) return undefined
  const has = [own ?? seatOf(channel, actor.replace(/^agent:/, ''))?.role ?? null, ...teamRoles(root, actor)]
  const names = has.flatMap((role) => role ?? [])
  if (names.some((name) => roles.some((role) => same(role, name)))) return undefined
  const what = names.length === 0 ? 'has no role' : `is ${names.join(', ')}`
  return refuse('ROLE_REFUSED', `channel "${channel.id}" is for ${roles.join(', ')}, and ${actor} ${what}`, {
    hint: `${joining(channel.id, actor)} --role ${quoted(roles[0] ?? '')}; or steadfold channel set ${quoted(channel.id)} --roles ""`,
    details: { roles, has: names },
  })
}

const joining = (id: string, actor: string): string =>
  actor.startsWith('agent:')
    ? `steadfold turn join ${quoted(id)} ${quoted(actor.slice('agent:'.length))}`
    : `steadfold team join TEAM ${quoted(actor)}`

/** A member is named by the actor, or by what stands behind its colon. */
function teamRoles(root: Readonly<Tree>, actor: string): readonly string[] {
  const { teams = {} } = sliceOf<OrganizationSlice>(root, 'organization') ?? {}
  const names = [actor, actor.slice(actor.indexOf(':') + 1)]
  return Object.values(teams).flatMap(({ members }) =>
    members.flatMap(({ agent_id, role }) => (names.includes(agent_id) ? [role] : [])),
  )
}

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()
