import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Session } from '../../kernel/session.ts'
import type { OrganizationSlice, ProjectStatus, Team } from './events.ts'

const NOTHING: Pick<OrganizationSlice, 'teams' | 'projects'> = { teams: {}, projects: {} }

const begin = async (): Promise<Session> =>
  makeWorkspace(memoryKernel({ checkpoints: false })).createSession({ name: 'test' })
const slice = (session: Session) => session.get('$.organization') as OrganizationSlice
const code = async (session: Session, operation: string, input: object) => {
  const before = session.seq
  const answer = await session.run(operation, input)
  if (answer.kind === 'refused') return answer.code
  return answer.seq === before ? 'nothing to do' : 'done'
}

type Place = ProjectStatus | 'absent'
type Command = 'add' | 'set' | 'worktree' | 'suspend' | 'resume' | 'complete'

const arrive: Record<Place, readonly string[]> = {
  absent: [],
  active: ['add'],
  suspended: ['add', 'suspend'],
  completed: ['add', 'complete'],
}
const closed = 'PROJECT_STATUS_INVALID'
const table: Record<Place, Record<Command, string>> = {
  absent: cells('done', 'NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND'),
  active: cells('NAME_TAKEN', 'done', 'done', 'done', 'nothing to do', 'done'),
  suspended: cells('NAME_TAKEN', 'done', 'done', 'nothing to do', 'done', 'done'),
  completed: cells('NAME_TAKEN', closed, closed, closed, closed, 'nothing to do'),
}

function cells(
  ...[add, set, worktree, suspend, resume, complete]: readonly [string, string, string, string, string, string]
): Record<Command, string> {
  return { add, set, worktree, suspend, resume, complete }
}

const INPUT: Partial<Record<Command, object>> = {
  set: { name: 'Login' },
  worktree: { worktree: 'docs', folder: '../docs' },
}

describe('O3 every status of a project meets every command', () => {
  for (const [place, row] of Object.entries(table)) {
    for (const [command, then] of Object.entries(row)) {
      test(`${place}: ${command} → ${then}`, async () => {
        const session = await begin()
        for (const step of arrive[place as Place]) await session.run(`project.${step}`, { project: 'p' })
        const input = { project: 'p', ...INPUT[command as Command] }
        expect(await code(session, `project.${command}`, input)).toBe(then)
      })
    }
  }
})

describe('teams', () => {
  const add = (session: Session, team: string) => code(session, 'team.add', { team, orchestrator: 'lead' })

  test('O1 an agent that joins again changes its place', async () => {
    const session = await begin()
    await add(session, 'qa')
    const join = (capacity: number) => code(session, 'team.join', { team: 'qa', agent: 'a', role: 'tester', capacity })
    expect([await join(1), await join(1), await join(2)]).toEqual(['done', 'nothing to do', 'done'])
    expect(slice(session).teams['qa']?.members).toEqual([{ agent_id: 'a', role: 'tester', capacity: 2 }])
    expect(await code(session, 'team.leave', { team: 'qa', agent: 'b' })).toBe('NOT_FOUND')
    expect(await code(session, 'team.leave', { team: 'qa', agent: 'a' })).toBe('done')
  })

  test('settings are merged, and what was not said stays', async () => {
    const session = await begin()
    await code(session, 'team.add', { team: 'qa', orchestrator: 'lead', max_parallel: 2, auto_scaling: true })
    await code(session, 'team.set', { team: 'qa', max_parallel: 3 })
    expect(slice(session).teams['qa']).toEqual({
      name: 'qa',
      orchestrator: 'lead',
      members: [],
      settings: { max_parallel: 3, auto_scaling: true },
    })
  })

  test.each(['QA', '1a', 'a_b', '__proto__', 'constructor', ''])('%j is no name of a team', async (team) => {
    expect(await add(await begin(), team)).toBe('INPUT_INVALID')
  })

  test('O1 and O2 hold after any commands', async () => {
    const team = fc.constantFrom('a', 'b', 'c')
    const agent = fc.constantFrom('x', 'y')
    const command = fc.oneof(
      fc.tuple(fc.constant('team.add'), fc.record({ team, orchestrator: fc.constant('lead') })),
      fc.tuple(fc.constant('team.remove'), fc.record({ team })),
      fc.tuple(fc.constant('team.join'), fc.record({ team, agent, role: fc.constantFrom('r', 's') })),
      fc.tuple(fc.constant('team.leave'), fc.record({ team, agent })),
      fc.tuple(
        fc.constant('project.add'),
        fc.record({ project: fc.constantFrom('p', 'q'), teams: fc.array(team, { maxLength: 3 }) }),
      ),
      fc.tuple(
        fc.constant('project.set'),
        fc.record({ project: fc.constantFrom('p', 'q'), teams: fc.array(team, { maxLength: 3 }) }),
      ),
      fc.tuple(fc.constant('project.complete'), fc.record({ project: fc.constantFrom('p', 'q') })),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 20 }), async (commands) => {
        const session = await begin()
        for (const [operation, input] of commands) await session.run(operation, input)
        const { teams, projects } = session.get('$.organization') === undefined ? NOTHING : slice(session)
        for (const { teams_assigned } of Object.values(projects)) {
          expect(new Set(teams_assigned).size).toBe(teams_assigned.length)
          for (const id of teams_assigned) expect(Object.keys(teams)).toContain(id)
        }
        for (const { members } of Object.values<Team>(teams))
          expect(new Set(members.map(({ agent_id }) => agent_id)).size).toBe(members.length)
      }),
      { numRuns: 60 },
    )
  })
})

describe('O4 budgets', () => {
  test('limit only what was set, within the bounds of the format', async () => {
    const session = await begin()
    const show = async () => {
      const answer = await session.run('budget.show')
      return answer.kind === 'accepted' ? answer.value : undefined
    }
    expect(await show()).toMatchObject({ token_budget: null, max_concurrent_agents: null })
    expect(await code(session, 'budget.set', { token_budget: 0 })).toBe('done')
    expect(await code(session, 'budget.set', { token_budget: 0 })).toBe('nothing to do')
    for (const max_concurrent_agents of [0, 21, 1.5])
      expect(await code(session, 'budget.set', { max_concurrent_agents })).toBe('INPUT_INVALID')
    expect(await show()).toMatchObject({ token_budget: 0, max_concurrent_agents: null })
  })
})
