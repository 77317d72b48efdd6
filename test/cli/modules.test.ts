/* --json on every command of agents, tasks, messages and locks: one object, with data or with an error that has a code. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exitStatus, type ErrorCode } from '../../src/kernel/error.ts'
import { Place } from './binary.ts'

let place: Place
beforeAll(() => {
  place = new Place()
  place.run('session', 'create', 'main', '--mode', 'development')
})
afterAll(() => place.remove())

/** In this order. `{…}` is the value that the line before it with that name gave; a line that begins with `!CODE` is refused with it. */
const LINES: readonly string[] = [
  'team add writers --orchestrator writers-lead --max-parallel 3',
  'team set writers --max-parallel 4',
  'team list',
  'team show writers',
  'project add login --teams writers --main-branch main',
  'project set login --teams writers',
  'project worktree login docs ../login-docs',
  'project list',
  'project show login',
  'project suspend login',
  'project resume login',
  'budget set --max-concurrent-agents 8',
  'budget show',
  'agent register planner lead',
  'agent spawn worker-1 worker --parent planner --ttl-ms 1h',
  'agent register worker-2 worker --ttl-ms 1h',
  'agent heartbeat worker-1',
  'agent assign worker-1 --task task-1',
  'agent list',
  'agent show worker-1',
  'agent reap',
  'team join writers worker-2 --role "QA Engineer"',
  'team leave writers worker-2',
  'pool set worker --min 1 --max 5 --policy demand --tasks-per-agent 2',
  'pool list',
  'pool show worker',
  'pool scale worker',
  'task add "hash passwords" --priority high',
  'task add "test them" --needs task-1',
  'task add "write it down"',
  'task update task-3 --priority low',
  'task list',
  'task show task-1',
  'task why task-2',
  'task graph',
  'task ready',
  'task claim task-1 --as agent:worker-1',
  'task renew task-1 --as agent:worker-1',
  'task start task-1 --as agent:worker-1',
  'task submit task-1 --as agent:worker-1',
  'task done task-1',
  'task claim task-2 --as agent:worker-1',
  'task release task-2 --as agent:worker-1',
  'task claim task-2 --as agent:worker-1',
  'task fail task-2 --reason "no database" --as agent:worker-1',
  'task retry task-2',
  'task block task-3 --reason "not yet"',
  'task unblock task-3',
  'task cancel task-3',
  'task archive',
  'task add "ship it"',
  'dependency add task-4 task-2',
  'dependency tell resource:db available',
  'dependency list',
  'dependency cycles',
  '!NEEDS_PERSON dependency break task-2',
  'dependency remove task-4 task-2',
  'epic add "sign in" --owner writers',
  'epic list',
  'epic show epic-1',
  'epic update epic-1 --title "sign in and out"',
  'epic approve epic-1',
  'epic start epic-1',
  'sprint add first --epic epic-1 --start 2026-11-23 --end 2026-12-04',
  'sprint list',
  'sprint show sprint-1',
  'sprint update sprint-1 --name "the first"',
  'sprint assign sprint-1 writers task-2',
  'sprint start sprint-1',
  'sprint review sprint-1',
  'sprint complete sprint-1',
  '!PLAN_STATUS_INVALID sprint cancel sprint-1',
  'epic complete epic-1',
  '!PLAN_STATUS_INVALID epic cancel epic-1',
  'lock acquire db --as agent:worker-1',
  'lock list',
  'lock check db {lock acquire}',
  'lock renew db {lock acquire} --as agent:worker-1',
  'lock release db --as agent:worker-1',
  'lock with db -- true',
  'lock break db --cause stuck',
  'message send "which hash?" --to worker-1 --as agent:lead',
  'message list',
  'message receive --agent worker-1',
  '!NOT_FOUND message answer nothing yes --as agent:worker-1',
  '!LEASE_LOST message ack nothing 1 --as agent:worker-1',
  '!LEASE_LOST message renew nothing 1 --as agent:worker-1',
  '!LEASE_LOST message return nothing 1 --as agent:worker-1',
  '!NOT_FOUND message revive nothing worker-1',
  '!NOT_FOUND message drop nothing worker-1',
  'handoff create worker-2 task-2 --as agent:worker-1',
  'handoff list',
  '!NOT_FOUND handoff show nothing',
  '!NOT_FOUND handoff accept nothing --as agent:worker-2',
  '!NOT_FOUND handoff complete nothing --as agent:worker-2',
  '!NOT_FOUND handoff reject nothing --reason "no access" --as agent:worker-2',
  'channel create room --human queue --timeout-ms 90000',
  'channel set room --max-turns 20',
  'channel list',
  'channel list --stopped',
  'turn join room --as agent:pm --role pm',
  'turn join room dev --position start --can-interrupt',
  'turn list',
  'turn start room pm',
  'turn poll pm',
  '!LEASE_HELD turn say room "me first" --as agent:dev',
  'turn take room --as agent:dev',
  'turn extend room --by 30s --as agent:dev',
  'turn say room "what about cost?"',
  'turn say room "a word. TURN_COMPLETE" --tokens 120 --as agent:dev',
  'turn pause room --note lunch',
  'turn resume room',
  'turn end room --as agent:pm',
  'turn skip room',
  'turn messages room --after 0',
  'turn history room',
  'turn watch room --once',
  'turn export',
  '!FILE_NOT_FOUND turn import absent.json',
  'turn leave room dev --keep',
  'turn leave room dev',
  'consent list',
  'consent ask lock.break "worker-2 is gone" --as agent:worker-1',
  'consent grant lock.break --for agent:worker-1',
  'consent deny session.restore "not now" --for agent:worker-1',
  'agent leave worker-1',
  'agent stop worker-2 --now',
  'pool remove worker',
  'team remove writers',
  'project complete login',
  '!NOT_FOUND supervise show',
  'supervise start implementation api page docs --needs page:api --files api:src',
  'supervise begin api',
  'supervise report api --summary "it answers" --metric files_modified=12 --took 25m',
  'supervise fail page timeout',
  '!WORKER_STATUS_INVALID supervise begin page',
  'supervise retry',
  'supervise list',
  'supervise show implementation',
  'supervise show implementation api',
  'supervise meter --model gpt-5',
  'supervise stop implementation --reason "enough is known"',
  'session configure --consent-mode informed --delay-ms 60000',
  'session extend 8',
  'session activate main',
  'session terminate main --reason "enough for today"',
]

const wordsOf = (line: string): readonly string[] =>
  [...line.matchAll(/"([^"]*)"(?=\s|$)|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')

const REFUSED = /^!([A-Z_]+) /
const given = new Map<string, string>()

test.each(LINES)('%s', (line) => {
  const refused = REFUSED.exec(line)?.[1] as ErrorCode | undefined
  const words = wordsOf(
    line.replace(REFUSED, '').replace(/\{([^}]+)\}/g, (_, name: string) => given.get(name) ?? 'none'),
  )
  const cut = words.includes('--') ? words.indexOf('--') : words.length
  const { status, out, err } = place.run(...words.slice(0, cut), '--json', ...words.slice(cut))
  expect(status, `${out}\n${err}`).toBe(refused === undefined ? 0 : exitStatus(refused))
  const answer = JSON.parse(out.trimEnd().split('\n').at(-1) ?? '') as {
    readonly data?: { readonly value?: unknown; readonly token?: number }
  }
  const name = words.slice(0, 2).join(' ')
  if (refused !== undefined) expect(answer).toMatchObject({ error: { code: refused } })
  else
    expect(answer).toMatchObject({
      schema: `steadfold/${name.replace(' ', '.')}/v1`,
      data: expect.anything() as unknown,
    })
  given.set(name, String(answer.data?.token))
})

test('every command of these nouns is tried', () => {
  const nouns = /^(agent|pool|team|project|budget|task|dependency|epic|sprint|lock|message|handoff|consent|supervise) /
  const names = place.data<readonly { readonly name: string }[]>('help').map((each) => each.name)
  const tried = new Set(LINES.map((line) => wordsOf(line.replace(REFUSED, '')).slice(0, 2).join(' ')))
  expect(names.filter((name) => nouns.test(name) && !tried.has(name))).toEqual([])
})
