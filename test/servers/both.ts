/** Where a PostgreSQL and a NATS server answer while the tests of a file run; empty where one is not to be had. */
import { afterAll, beforeAll } from 'vitest'
import { hasNats, startNats } from './nats.ts'
import { hasPostgres, startPostgres } from './postgres.ts'

export interface Urls {
  postgres: string
  nats: string
}

export function bothServers(): Readonly<Urls> {
  const urls: Urls = { postgres: '', nats: '' }
  const stops: (() => Promise<void>)[] = []
  beforeAll(async () => {
    if (hasPostgres) {
      const server = await startPostgres()
      urls.postgres = server.url
      stops.push(server.stop)
    }
    if (hasNats) {
      const servers = await startNats()
      urls.nats = servers.url
      stops.push(servers.stop)
    }
  })
  afterAll(async () => void (await Promise.all(stops.map((stop) => stop()))))
  return urls
}
