/** The workspace as a whole. */
import * as z from 'zod/mini'
import type { Glance } from '../../kernel/care/inbox.ts'
import type { RecoveryPlan } from '../../kernel/care/recovery.ts'
import { figureOf } from '../../kernel/care/shut.ts'
import { judge, type Figure } from '../../kernel/health.ts'
import { acceptedData } from './operation-route.ts'
import { remembering } from './remembering.ts'
import type { Route } from './route.ts'
import { parsed } from './session-routes.ts'

const empty = z.strictObject({})

/** Agents are counted until their lease is over. */
const glanceAt = remembering<Glance>(({ row }) => row.agents === 0)

const inbox: Route = {
  method: 'get',
  path: '/v1/inbox',
  name: 'status',
  summary: 'What needs a person, and what is going on',
  query: [{ name: 'all', kind: 'flag', summary: 'ended, suspended and departed sessions, too' }],
  run: async ({ parts, desk, query }) => {
    const all = query.flag('all')
    const ids = all ? await desk.ids() : desk.held.map((session) => session.id)
    const glances = await desk.each(ids, (id) => glanceAt(desk, id, parts.glance))
    const found = parts.inbox(glances, { all, more: await desk.needs() })
    return { schema: 'status', data: all ? found : { ...found, hidden: found.hidden + desk.ended } }
  },
}

const recovery: Route = {
  method: 'get',
  path: '/v1/sessions/{id}/recovery',
  name: 'recovery',
  summary: 'What recovering a lost session would do; null when it is not lost',
  run: ({ desk, parts, id }) =>
    desk.use(id, async (session) => ({ schema: 'recovery', data: (await parts.recovery.plan(session)) ?? null })),
}

const recover: Route = {
  method: 'post',
  path: '/v1/sessions/{id}/recovery',
  name: 'recover',
  summary: 'Recover a lost session as its plan says; nothing is started',
  body: empty,
  takes: ['dryRun'],
  run: ({ desk, parts, id, body, options: { actor, dryRun } }) =>
    desk.use(id, async (session) => {
      parsed(empty, body)
      const plan: RecoveryPlan | undefined = await parts.recovery.plan(session)
      if (plan === undefined) return { schema: 'recover', data: { recovered: false } }
      if (dryRun === true) return { schema: 'recover', data: { recovered: false, plan, dry_run: true } }
      const done = acceptedData(await parts.recovery.carryOut(session, plan, actor), {})
      return { schema: 'recover', data: { recovered: true, plan, ...done } }
    }),
}

const health: Route = {
  method: 'get',
  path: '/v1/health',
  name: 'health',
  summary: 'Whether figures are within limits: logs, spool, leases, disk',
  run: async ({ parts, desk }) => {
    const figuresOf = (id: string) => desk.use(id, (session) => parts.health.ofSession(session, parts.workspace))
    const ofSessions = (await desk.each(await desk.ids(), figuresOf)).flat()
    const ofShut = (await desk.shut()).map(figureOf)
    const figures: readonly Figure[] = [...ofSessions, ...ofShut, ...(await parts.health.ofFolder(parts.folder))]
    return { schema: 'health', data: judge(figures, desk.kernel.settings.health, parts.now()) }
  },
}

export const workspaceRoutes: readonly Route[] = [inbox, health, recovery, recover]
