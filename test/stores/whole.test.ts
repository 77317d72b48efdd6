/* All a user does, by the built program, the same on every store; only the address differs. */
import type { ChildProcess } from 'node:child_process'
import { afterAll, expect, test } from 'vitest'
import { bothServers } from '../servers/both.ts'
import { hasNats } from '../servers/nats.ts'
import { hasPostgres } from '../servers/postgres.ts'
import { allOf, User } from './user.ts'

const servers = bothServers()
const running: ChildProcess[] = []

afterAll(() => {
  for (const child of running) child.kill('SIGKILL')
})

/** What the first store answers is what all of them must. */
let first: Awaited<ReturnType<typeof allOf>> | undefined

const stores = [
  ['files', true, () => '', 'flag'],
  ['postgres', hasPostgres, () => `${servers.postgres}?namespace=whole`, 'flag'],
  ['nats', hasNats, () => `${servers.nats}?namespace=whole`, 'config.json'],
] as const

test.each(stores)('every command answers the same on %s', { timeout: 240_000 }, async (_name, isThere, url, by) => {
  if (!isThere) return
  const user = new User(url(), by)
  try {
    const told = await allOf(user, running)
    const { archive, ...rest } = told
    first ??= told
    const failed = rest.daily.flatMap(([line, { status }]) => (status === 0 ? [] : [`${status} ${line}`]))
    expect(failed).toEqual(REFUSED)
    expect(rest.moved.map(({ status }) => status)).toEqual(rest.moved.map(() => 0))
    expect(rest.served).toMatchObject({ answers: [200, 200, 200], status: 143 })
    expect(rest.effects).toBe('paid\none\ntwo\n')
    expect(archive.map(([line, { status }]) => `${status} ${line}`)).toEqual(archive.map(([line]) => `0 ${line}`))
    expect(told).toEqual(first)
  } finally {
    user.remove()
  }
})

const REFUSED = [
  '5 state set data.topic other --if-seq 1 --json',
  '3 state get data.absent --json',
  '6 lock acquire file --as agent:w2 --json',
  '4 session rename apart --session auth --json',
]
