/* All a user does, by the built program, the same on every store; only the address differs. */
import type { ChildProcess } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hasNats, startNats } from '../servers/nats.ts'
import { hasPostgres, startPostgres } from '../servers/postgres.ts'
import { allOf, User } from './user.ts'

let postgres = ''
let nats = ''
const stops: (() => Promise<void>)[] = []
const running: ChildProcess[] = []

beforeAll(async () => {
  if (hasPostgres) {
    const server = await startPostgres()
    postgres = server.url
    stops.push(server.stop)
  }
  if (hasNats) {
    const servers = await startNats()
    nats = servers.url
    stops.push(servers.stop)
  }
})
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL')
  await Promise.all(stops.map((stop) => stop()))
})

/** What the first store answers is what all of them must. */
let first: Awaited<ReturnType<typeof allOf>> | undefined

const stores = [
  ['files', true, () => '', 'flag'],
  ['postgres', hasPostgres, () => `${postgres}?namespace=whole`, 'flag'],
  ['nats', hasNats, () => `${nats}?namespace=whole`, 'config.json'],
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
