/*
 * A server that goes away under a run, and stays away.
 *
 * W1. Its calls share one patience, and then it ends and says why; a second run goes on, and pays for nothing twice.
 * W2. Stopped once it ends within seconds, however patient it is.
 *
 * Its process may be gone, or the way to it: then nobody says so.
 */
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { Place } from '../cli/binary.ts'
import { hasNats, startNats } from '../servers/nats.ts'
import { hasPostgres, startPostgres } from '../servers/postgres.ts'
import { wireTo } from '../servers/wire.ts'
import { until } from '../until.ts'

interface Away {
  readonly url: string
  go(): Promise<void>
  back(): Promise<void>
  stop(): Promise<void>
}

async function postgres(): Promise<Away> {
  const { url, kill, start, stop } = await startPostgres()
  return { url: `${url}?namespace=away`, go: kill, back: start, stop }
}

async function postgresBehindWire(): Promise<Away> {
  const { url, port, stop } = await startPostgres()
  const wire = await wireTo(port)
  return {
    url: `${url.replace(`:${port}/`, `:${wire.port}/`)}?namespace=away&timeout=2`,
    go: async () => wire.cut(),
    back: async () => wire.mend(),
    stop: () => {
      wire.stop()
      return stop()
    },
  }
}

async function nats(): Promise<Away> {
  const { url, nodes, stop } = await startNats()
  const each = (what: 'kill' | 'start') => async () => void (await Promise.all(nodes.map((node) => node[what]())))
  return { url: `${url}?namespace=away`, go: each('kill'), back: each('start'), stop }
}

const STEPS = [
  `      short: { run: 'echo short >>paid' }`,
  `      long: { needs: [short], run: 'echo begun >>begun; sleep 1; echo long >>paid; test -e go || sleep 3' }`,
]
const WORKFLOW = ['name: away', 'states:', '  all:', '    steps:', ...STEPS, ''].join('\n')

/** The wire is in this process, which must not wait for another meanwhile. */
async function done(child: ReturnType<Place['start']>): Promise<{ readonly status: number; readonly said: string }> {
  const said: string[] = []
  child.stderr.on('data', (chunk) => said.push(String(chunk)))
  const [status] = (await once(child, 'exit')) as readonly unknown[]
  return { status: Number(status), said: said.join('') }
}

let server: Away | undefined
const place = new Place({ init: false })
afterEach(() => server?.stop())
afterAll(() => place.remove())

describe.each([
  { name: 'postgres', is: hasPostgres, start: postgres },
  { name: 'postgres, cut off', is: hasPostgres, start: postgresBehindWire },
  { name: 'nats', is: hasNats, start: nats },
])('$name', ({ is, start }) => {
  /** A run whose server goes away while its second step is at work. */
  async function begun(patience: number) {
    server = await start()
    const address = ['--dir', `${server.url}&patience=${patience}`]
    for (const name of ['paid', 'begun', 'go']) fs.rmSync(path.join(place.dir, name), { force: true })
    place.file('away.workflow.yaml', WORKFLOW)
    expect(await done(place.start('init', ...address))).toMatchObject({ status: 0 })
    const begin = () => place.start('run', 'away.workflow.yaml', ...address)
    const run = begin()
    const ended = done(run)
    await until(() => fs.existsSync(path.join(place.dir, 'begun')))
    await server.go()
    return { run, ended, again: () => done(begin()) }
  }

  /** Nothing is paid for twice but what was stopped. */
  async function goesOn(again: () => Promise<unknown>): Promise<void> {
    await server?.back()
    place.file('go', '')
    expect(await again()).toMatchObject({ status: 0 })
    expect(fs.readFileSync(path.join(place.dir, 'paid'), 'utf8')).toMatch(/^short\n(long\n)+$/)
  }

  test.skipIf(!is)('W2 one SIGTERM ends it within seconds, and it can go on', async () => {
    const { run, ended, again } = await begun(600)
    run.kill('SIGTERM')
    const { status, said } = await ended
    expect({ status, said }).toMatchObject({ status: 143, said: expect.stringContaining('next:') })
    await goesOn(again)
  })

  test.skipIf(!is)('W1 it ends by itself, and can go on', async () => {
    const { ended, again } = await begun(3)
    const { status, said } = await ended
    expect({ status, said }).toMatchObject({ status: 8, said: expect.stringContaining('next:') })
    await goesOn(again)
  })
})
