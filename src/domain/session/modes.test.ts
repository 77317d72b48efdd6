import { describe, expect, test } from 'vitest'
import { fixedHost } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Session } from '../../kernel/session.ts'
import type { Mode } from './events.ts'
import { sessionOf } from './session.ts'

const HOUR = 3_600_000

async function begin(mode?: Mode, context?: Record<string, unknown>) {
  const host = fixedHost()
  const kernel: Kernel = { ...memoryKernel({ checkpoints: false }), host }
  return { host, session: await makeWorkspace(kernel).createSession({ name: 'test', mode, context }) }
}

interface Expected {
  readonly hours: number
  readonly agents: number
  readonly consent: string
  readonly cleanup: boolean
  readonly teams: readonly string[]
  readonly projects: readonly string[]
}

const table: Record<Mode, Expected> = {
  development: {
    hours: 24,
    agents: 10,
    consent: 'explicit',
    cleanup: true,
    teams: ['engineering'],
    projects: ['default-project'],
  },
  leadership: {
    hours: 48,
    agents: 10,
    consent: 'explicit',
    cleanup: true,
    teams: ['product', 'engineering', 'qa', 'devops', 'creative'],
    projects: [],
  },
  config: { hours: 1, agents: 10, consent: 'explicit', cleanup: true, teams: [], projects: [] },
  emergency: { hours: 8, agents: 20, consent: 'automatic', cleanup: false, teams: [], projects: [] },
}

async function lastTypes(session: Session): Promise<readonly string[]> {
  let types: readonly string[] = []
  for await (const { events } of session.commits()) types = events.map(({ type }) => type)
  return types
}

describe('S4 a mode begins a session with what belongs to it', () => {
  test.each(Object.entries(table))('%s', async (mode, wanted) => {
    const { host, session } = await begin(mode as Mode)
    expect(session.seq).toBe(1)
    expect(session.get('$.session.mode')).toBe(mode)
    expect(sessionOf(session.stored)?.lifecycle).toMatchObject({
      status: 'active',
      expiry: new Date(host.now() + wanted.hours * HOUR).toISOString(),
      auto_cleanup: wanted.cleanup,
    })
    expect(session.get('$.session.user_context.user_preferences')).toEqual({
      ...(mode === 'emergency' ? {} : { max_parallel_agents: 5 }),
      auto_persistence_interval: 30,
      consent_mode: wanted.consent,
    })
    expect(session.get('$.organization.global_settings')).toEqual({
      token_budget: 100_000,
      time_budget_minutes: 480,
      max_concurrent_agents: wanted.agents,
    })
    expect(Object.keys(session.get('$.organization.teams') as object)).toEqual(wanted.teams)
    expect(Object.keys(session.get('$.organization.projects') as object)).toEqual(wanted.projects)
  })

  test('development has an engineering team of three roles and a project for the workspace', async () => {
    const { session } = await begin('development', { project_name: 'shop', git_branch: 'argon2' })
    const members = session.get('$.organization.teams.engineering.members')
    expect(members).toMatchObject([
      { role: 'Technical Lead' },
      { role: 'Full Stack Developer', capacity: 3 },
      { capacity: 2 },
    ])
    expect(session.get('$.organization.projects.default-project')).toEqual({
      id: 'default-project',
      name: 'shop',
      status: 'active',
      teams_assigned: ['engineering'],
      repository: { main_branch: 'main', current_branch: 'argon2', worktrees: {} },
    })
  })

  test('a session without a mode has no teams, no limits and no end', async () => {
    const { session } = await begin()
    expect(session.get('$.organization')).toEqual({ teams: {}, projects: {}, global_settings: {} })
    expect(session.get('$.session.lifecycle.expiry')).toBeNull()
  })

  test('preferences within their bounds go before the mode; others are refused', async () => {
    const { session } = await begin('development', { user_preferences: { max_parallel_agents: 2 } })
    expect(session.get('$.session.user_context.user_preferences.max_parallel_agents')).toBe(2)
    for (const user_preferences of [
      { max_parallel_agents: 11 },
      { auto_persistence_interval: 9 },
      { consent_mode: 'no' },
    ])
      await expect(begin('config', { user_preferences })).rejects.toMatchObject({ code: 'INPUT_INVALID' })
  })
})

describe('S4 expiry', () => {
  const set = { path: '$.data.a', value: 1 }

  test('a session takes writes until its last millisecond, then only what ends; extending takes that back', async () => {
    const { host, session } = await begin('config')
    host.advance(HOUR)
    expect(await session.run('state.set', set)).toMatchObject({ kind: 'accepted' })
    host.advance(1)
    const late = await session.run('state.set', set)
    expect(late).toMatchObject({ code: 'SESSION_NOT_WRITABLE', details: { status: 'terminating' } })
    expect(await session.run('session.extend', { hours: 2 })).toMatchObject({ kind: 'accepted' })
    expect(sessionOf(session.stored)?.lifecycle).toMatchObject({
      status: 'active',
      expiry: new Date(host.now() + 2 * HOUR).toISOString(),
    })
    expect(await session.run('state.set', { ...set, value: 2 })).toMatchObject({ kind: 'accepted' })
  })

  test('the commit that ends an expired session tells first that it expired', async () => {
    const { host, session } = await begin('config')
    host.advance(HOUR + 1)
    await session.run('session.end')
    expect(await lastTypes(session)).toEqual(['session.expired', 'session.ended'])
  })

  test('a fork of an expired session is active and has no end', async () => {
    const host = fixedHost()
    const workspace = makeWorkspace({ ...memoryKernel({ checkpoints: false }), host })
    const session = await workspace.createSession({ name: 'test', mode: 'config' })
    host.advance(2 * HOUR)
    const fork = await workspace.fork(session, 'other')
    expect(sessionOf(fork.stored)?.lifecycle).toMatchObject({ status: 'active', expiry: null })
  })

  test('extending asks for hours or forever', async () => {
    const { session } = await begin('config')
    for (const input of [{}, { hours: 1, forever: true }])
      expect(await session.run('session.extend', input)).toMatchObject({ code: 'INPUT_INVALID' })
    await session.run('session.extend', { forever: true })
    expect(session.get('$.session.lifecycle.expiry')).toBeNull()
  })
})

describe('S1 ending', () => {
  test.each(['session.end', 'session.terminate'])('%s leaves a checkpoint of everything behind', async (operation) => {
    const kernel = memoryKernel()
    const made: string[] = []
    const watched: Kernel = {
      ...kernel,
      checkpoint: (session, where) => {
        made.push(where)
        return kernel.checkpoint(session, where)
      },
    }
    const session = await makeWorkspace(watched).createSession({ name: 'test' })
    await session.run(operation, {}, { dryRun: true })
    expect(made).toEqual([])
    await session.run(operation)
    expect(made).toEqual(['here'])
  })
})
