/* The inbox and a session on one screen: printed once for scripts, drawn on a terminal that gets back as it was. */
import { spawn, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorkspace } from '../../src/compose.ts'
import { until } from '../until.ts'
import { Place, PROGRAM, plainEnv } from './binary.ts'

let place: Place
beforeAll(async () => {
  place = new Place()
  const workspace = await openWorkspace({ dir: place.dir })
  const session = await workspace.createSession({ name: 'a' })
  for (let i = 0; i < 40; i++) await session.run('state.set', { path: `data.k${i}`, value: 'v'.repeat(100) })
  await workspace.close()
})
afterAll(() => place.remove())

test('--once prints 80 by 24 at most, without a word to the terminal', () => {
  const { status, out } = place.run('watch', '--once')
  expect(status).toBe(0)
  const lines = out.trimEnd().split('\n')
  expect(lines).toHaveLength(24)
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
  expect(out).not.toContain('\u001B')
  expect(lines[0]).toBe('IDLE (1)')
  expect(lines.at(-1)).toMatch(/^ +41 .*\$\.data\.k39 = /)
})

test('--once --json is the inbox, the session and its last commits', () => {
  const data = place.data<{ readonly commits: readonly { readonly seq: number }[] }>('watch', '--once')
  expect(data).toMatchObject({ inbox: { needs_you: [], idle: [{ name: 'a', seq: 41 }] } })
  expect(data.commits.at(-1)?.seq).toBe(41)
})

test('a step is called by its name, as in the log', () => {
  const other = new Place()
  other.run('session', 'create', 'b')
  other.run('once', 'count', '--', 'true')
  expect(other.run('watch', '--once').out).toContain('finished count in ')
  other.remove()
})

test('its inbox is that of status, beside a fork that died and one of which no commit can be read', () => {
  const other = new Place()
  for (const name of ['whole', 'headless']) {
    other.data('session', 'create', name)
    other.data('state', 'set', 'data.x', '1', '--session', name)
  }
  const folderOf = (name: string) => {
    const { id } = other.data<{ readonly id: string }>('session', 'show', name)
    return path.join(other.dir, '.steadfold', 'sessions', id)
  }
  const whole = folderOf('whole')
  fs.cpSync(whole, `${whole.slice(0, -4)}0000`, { recursive: true })
  const log = path.join(folderOf('headless'), 'log', `${'1'.padStart(20, '0')}.jsonl`)
  fs.writeFileSync(log, fs.readFileSync(log, 'utf8').replace('session.create', 'session.crate'))
  const shown = other.data<{ readonly inbox: unknown }>('watch', '--once').inbox
  expect(shown).toMatchObject({ needs_you: [{ kind: 'DAMAGED' }], idle: [{ name: 'whole' }] })
  other.remove()
})

test('of a session that is damaged it shows what is whole, and says where that ends', () => {
  const other = new Place()
  const { session } = other.data<{ readonly session: { readonly id: string } }>('session', 'create', 'b')
  for (const value of ['1', '2', '3']) other.run('state', 'set', 'data.x', value)
  const file = path.join(other.dir, '.steadfold/sessions', session.id, 'log', `${'1'.padStart(20, '0')}.jsonl`)
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"value":2', '"value":7'))
  const { status, out } = other.run('watch', '--once', '--session', 'b')
  expect(status).toBe(0)
  expect(out).toMatch(/^NEEDS YOU \(1\)\n {2}DAMAGED {2}b .*\n── b {2}seq 2, damaged at commit 3 ─+\n/s)
  expect(out.trimEnd().split('\n').at(-1)).toMatch(/^ +2 .*\$\.data\.x = 1$/)
  expect(other.data('watch', '--once', '--session', 'b')).toMatchObject({ inbox: { needs_you: [{ kind: 'DAMAGED' }] } })
  other.remove()
})

test('without a terminal it says what to use instead', () => {
  for (const args of [[], ['--json']]) {
    const { status, out, err } = place.run('watch', ...args)
    expect(status).toBe(64)
    expect(out + err).toContain('watch --once')
  }
  expect(place.run('watch', '--once', '--session', 'none').status).toBe(3)
})

/** What stands on a screen after lines were drawn at their rows. */
const screenOf = (drawn: string): string =>
  [...new Map([...drawn.matchAll(ROW)].map(([, row, line]) => [row, line])).values()].join('\n')
// oxlint-disable-next-line no-control-regex
const ROW = /\u001B\[(\d+);1H(.*?)(?=\u001B\[\d+;1H|$)/gs

/** The terminal of util-linux; elsewhere it is called in another way. */
const hasTerminal = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0

describe.skipIf(!hasTerminal)('on a terminal (where there is script of util-linux)', () => {
  /** Runs it on a terminal of its own, and tells what came and how the terminal was left. */
  async function onTerminal(act: (type: (text: string) => void) => void) {
    const drawing = `echo $$ > watch.pid; exec ${process.execPath} ${PROGRAM} watch --session a`
    // Where it was killed, another process puts the terminal back, soon.
    const settled = 'until stty -a | grep -q " icanon"; do :; done; stty -a; read -r _'
    const line = `sh -c '${drawing}'; echo "status $?"; ${settled}`
    const child = spawn('script', ['-qec', line, '/dev/null'], { cwd: place.dir, env: plainEnv({ TERM: 'xterm' }) })
    const ended = new Promise((resolve) => child.on('close', resolve))
    let text = ''
    let step = 0
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (step === 2 && / icanon/.test(text) && text.includes('[?1049l')) {
        step = 3
        child.stdin.write('\r')
      }
      if (step === 0 && text.includes('q ends it')) {
        step = 1
        place.run('state', 'set', 'data.live', 'came')
      } else if (step === 1 && text.includes('$.data.live')) {
        step = 2
        act((typed) => child.stdin.write(typed))
      }
    })
    await ended
    return text
  }

  test('killed with SIGKILL it leaves a terminal that is not raw', async () => {
    const text = await onTerminal(() =>
      process.kill(Number(fs.readFileSync(path.join(place.dir, 'watch.pid'), 'utf8')), 'SIGKILL'),
    )
    const [, left = ''] = text.split('status 137')
    expect(left).toMatch(/ icanon/)
    expect(left).toMatch(/ echo /)
    expect(text).toContain('\u001B[?1049l')
  })

  test('of a session that is repaired it shows what is there now', async () => {
    const other = new Place()
    const { session } = other.data<{ readonly session: { readonly id: string } }>('session', 'create', 'b')
    for (const value of ['1', '2', '3']) other.run('state', 'set', 'data.x', value)
    const line = `${process.execPath} ${PROGRAM} watch`
    const child = spawn('script', ['-qec', line, '/dev/null'], { cwd: other.dir, env: plainEnv({ TERM: 'xterm' }) })
    const closed = new Promise((resolve) => child.on('close', resolve))
    let drawn = ''
    child.stdout.on('data', (chunk: Buffer) => (drawn += chunk.toString()))
    await until(() => drawn.includes('$.data.x = 3'))
    const file = path.join(other.dir, '.steadfold/sessions', session.id, 'log', `${'1'.padStart(20, '0')}.jsonl`)
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"value":2', '"value":7'))
    other.run('repair', 'b')
    other.run('state', 'set', 'data.y', '5')
    await until(() => /\$\.data\.x = 1.*\$\.data\.y = 5/s.test(screenOf(drawn)))
    expect(screenOf(drawn)).not.toMatch(/\$\.data\.x = [23]/)
    child.stdin.write('q')
    await closed
    other.remove()
  })

  test('R1 where the terminal is closed it ends by that, and does not break', async () => {
    const line = `sh -c 'trap : HUP; ${process.execPath} ${PROGRAM} watch --session a; echo $? > closed'`
    const child = spawn('script', ['-qec', line, '/dev/null'], { cwd: place.dir, env: plainEnv({ TERM: 'xterm' }) })
    let drawn = ''
    child.stdout.on('data', (chunk: Buffer) => {
      drawn += chunk.toString()
      if (drawn.includes('q ends it')) child.kill('SIGKILL')
    })
    const status = () => fs.readFileSync(path.join(place.dir, 'closed'), { encoding: 'utf8', flag: 'a+' })
    await until(() => status() !== '')
    expect(status()).toBe('129\n')
  })

  test.each([
    ['q', 'q', 0],
    ['Ctrl-C', '\u0003', 130],
  ])('what others write is drawn as it comes, and %s gives the terminal back', async (_key, typed, status) => {
    const text = await onTerminal((type) => type(typed))
    const [drawn = '', left = ''] = text.split('\u001B[?1049l')
    expect(drawn).toContain('\u001B[?1049h')
    expect(drawn).toContain('$.data.live')
    expect(left).toContain(`status ${status}`)
    expect(left).toMatch(/ icanon/)
    expect(left).toMatch(/ echo /)
  })
})
