/*
 * Several hosts take steps of one workflow, and some die. A host is a pid namespace with a name of its own, so that nobody
 * sees whether the others live.
 *
 * H1. Every step is finished, whoever dies.
 * H2. No step runs twice at once: also where a runner dies alone, and what it had started does not hear SIGTERM.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { plainEnv, Place, PROGRAM } from '../cli/binary.ts'
import { hasPostgres, startPostgres } from '../servers/postgres.ts'

const apart = ['--pid', '--uts', '--fork', '--mount-proc', '--kill-child']
const canBeApart = process.platform === 'linux' && spawnSync('unshare', [...apart, 'true']).status === 0
if (!canBeApart)
  process.stderr.write('\nNO NAMESPACES HERE: the test of many hosts is left out; it wants root on Linux\n\n')

const STEPS = 16
const BEATS = 15
const LEASE = '10s'

/** Beats ten times a second, and leaves when each beat was. On beta it does not end by itself, or by SIGTERM. */
const BEAT = `
beats=${BEATS} i=0
if [ "$(hostname)" = beta ]; then
  beats=1000
  trap '' TERM
fi
while [ $i -lt $beats ]; do
  echo "$1 $STEADFOLD_ATTEMPT $(date +%s%N)" >>beats
  sleep 0.1
  i=$((i + 1))
done
`

/** The runner is not pid 1 of its host: a line on stdin kills it alone. */
const HOST = 'hostname "$1"; shift; "$@" & runner=$!; read -r line; kill -9 $runner; sleep 1000'

class Team {
  readonly place: Place
  readonly #address: readonly string[]
  readonly #hosts = new Map<string, ChildProcess>()

  constructor(place: Place, address: readonly string[]) {
    this.place = place
    this.#address = address
    fs.writeFileSync(path.join(place.dir, 'beat.sh'), BEAT)
    const steps = Array.from({ length: STEPS }, (_, i) => `      s${i}: { run: 'sh beat.sh ${i}', repeatable: true }`)
    const states = ['states:', '  work:', '    mode: parallel', '    steps:', ...steps, '    next: [complete]']
    const end = '  complete: { steps: {}, next: [] }'
    fs.writeFileSync(path.join(place.dir, 'many.workflow.yaml'), ['name: many', ...states, end, ''].join('\n'))
  }

  start(name: string, ...args: readonly string[]): void {
    const command = [process.execPath, PROGRAM, 'run', ...args, ...this.#address, '-p', '2', '--lease', LEASE]
    const home = path.join(this.place.dir, `home-${name}`)
    fs.mkdirSync(home, { recursive: true })
    this.#hosts.set(
      name,
      spawn('unshare', [...apart, 'sh', '-c', HOST, 'sh', name, ...command], {
        cwd: this.place.dir,
        env: plainEnv({ HOME: home, XDG_STATE_HOME: home, XDG_DATA_HOME: home, STEADFOLD_RETRY_SCALE: '0.1' }),
        stdio: ['pipe', 'ignore', 'inherit'],
      }),
    )
  }

  killRunner(name: string): void {
    this.#hosts.get(name)?.stdin?.write('\n')
  }

  killHost(name: string): void {
    this.#hosts.get(name)?.kill('SIGKILL')
  }

  status(): Status {
    return JSON.parse(this.place.run('status', '--all', ...this.#address, '--json').out || '{}').data
  }

  async until(what: (status: Status) => boolean): Promise<void> {
    while (!what(this.status())) await new Promise((resolve) => setTimeout(resolve, 100))
  }

  end(): void {
    for (const host of this.#hosts.values()) host.kill('SIGKILL')
  }

  /** By step: first and last beat of each attempt, in the order of the attempts. */
  beats(): ReadonlyMap<string, readonly Beats[]> {
    const steps = new Map<string, Beats[]>()
    for (const line of fs.readFileSync(path.join(this.place.dir, 'beats'), 'utf8').trim().split('\n')) {
      const [step = '', attempt = '', time = ''] = line.split(' ')
      const attempts = steps.get(step) ?? []
      const known = attempts.find((each) => each.attempt === Number(attempt))
      if (known === undefined)
        attempts.push({ attempt: Number(attempt), first: BigInt(time), last: BigInt(time), count: 1 })
      else Object.assign(known, { last: BigInt(time), count: known.count + 1 })
      steps.set(
        step,
        attempts.toSorted((a, b) => a.attempt - b.attempt),
      )
    }
    return steps
  }
}

interface Beats {
  readonly attempt: number
  readonly first: bigint
  readonly last: bigint
  readonly count: number
}

interface Row {
  readonly hosts: readonly { readonly host: string; readonly running: number }[]
  readonly steps: { readonly finished: number; readonly running: number; readonly total: number }
  readonly workflow: { readonly finished: boolean } | null
}

interface Status {
  readonly working?: readonly Row[]
  readonly done?: readonly Row[]
}

const hosts = ({ working = [] }: Status) => working[0]?.hosts ?? []

/** Three hosts; the runner of one dies and leaves its commands, then the whole host of the driver. */
async function loseTwo(team: Team): Promise<void> {
  team.start('alpha', 'many.workflow.yaml')
  await team.until((status) => hosts(status).some(({ running }) => running === 2))
  team.start('beta', '--worker', '--session', 'many')
  await team.until((status) => hosts(status).filter(({ running }) => running > 0).length === 2)
  expect(hosts(team.status()).map(({ host }) => host)).toEqual(['alpha', 'beta'])
  team.killRunner('beta')
  team.killHost('alpha')
  team.start('gamma', '--worker', '--session', 'many')
  await team.until(({ done = [] }) => done[0]?.workflow?.finished === true)
  expect(team.status().done?.[0]?.steps).toMatchObject({ finished: STEPS, total: STEPS })
}

function findings(team: Team): readonly string[] {
  const found: string[] = []
  const beats = team.beats()
  if (beats.size !== STEPS) found.push(`${beats.size} of ${STEPS} steps began`)
  for (const [step, attempts] of beats) {
    if (attempts.at(-1)?.count !== BEATS) found.push(`s${step}: its last attempt was cut short`)
    attempts.forEach(({ last, attempt }, i) => {
      const next = attempts[i + 1]
      if (next !== undefined && next.first <= last)
        found.push(`s${step}: attempts ${attempt} and ${next.attempt} at once`)
    })
  }
  const again = [...beats.values()].filter((attempts) => attempts.length > 1).length
  if (again === 0) found.push('nothing was lost: the faults came too late')
  process.stderr.write(`hosts: ${STEPS} steps, ${again} of them begun again after their host was lost\n`)
  return found
}

async function untilRunning(place: Place, count: number): Promise<void> {
  const seen = () => (JSON.parse(place.run('status', '--json').out || '{}').data as Status | undefined)?.working?.[0]
  while ((seen()?.steps.running ?? 0) < count) await new Promise((resolve) => setTimeout(resolve, 100))
}

const teams: Team[] = []
afterAll(() => {
  for (const team of teams) {
    team.end()
    team.place.remove()
  }
})

function team(address: readonly string[], init: boolean): Team {
  const made = new Team(new Place({ init }), address)
  teams.push(made)
  return made
}

describe.skipIf(!canBeApart)('many hosts', () => {
  test('H1 H2 on a folder they share', { timeout: 120_000 }, async () => {
    const shared = team([], true)
    await loseTwo(shared)
    expect(findings(shared)).toEqual([])
  })

  test(
    'H2 on one machine the work of a lost runner is adopted, and outlives its lease',
    { timeout: 120_000 },
    async () => {
      const { place } = team([], true)
      const step = (name: string) => `{ run: 'echo ${name} >>effects; sleep 13; echo ${name} >>effects' }`
      const text = `name: pair\nstates:\n  work: { steps: { a: ${step('a')}, b: ${step('b')} }, next: [end] }\n  end: {}\n`
      fs.writeFileSync(path.join(place.dir, 'pair.workflow.yaml'), text)
      const begin = (...args: readonly string[]) =>
        spawn(process.execPath, [PROGRAM, 'run', ...args, '-p', '1', '--lease', LEASE], {
          cwd: place.dir,
          env: plainEnv(),
          stdio: 'ignore',
        })
      const running = (count: number) => untilRunning(place, count)
      const driver = begin('pair.workflow.yaml')
      await running(1)
      const worker = begin('--worker', '--session', 'pair')
      await running(2)
      worker.kill('SIGKILL')
      expect(await new Promise((resolve) => driver.once('exit', resolve))).toBe(0)
      expect(fs.readFileSync(path.join(place.dir, 'effects'), 'utf8').trim().split('\n').toSorted()).toEqual([
        'a',
        'a',
        'b',
        'b',
      ])
    },
  )

  test.skipIf(!hasPostgres)('H1 H2 on PostgreSQL', { timeout: 120_000 }, async () => {
    const server = await startPostgres()
    try {
      const apart = team(['--dir', `${server.url}?namespace=hosts`], false)
      apart.place.run('init', '--dir', `${server.url}?namespace=hosts`)
      await loseTwo(apart)
      expect(findings(apart)).toEqual([])
    } finally {
      await server.stop()
    }
  })
})
