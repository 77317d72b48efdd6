import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import * as path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { Place } from './binary.ts'

const places: Place[] = []
afterAll(() => places.forEach((place) => place.remove()))

function begin(): Place {
  const place = new Place()
  places.push(place)
  place.data('session', 'create', 'demo')
  return place
}

interface Shown {
  readonly current: string
  readonly intent: { readonly to: string } | null
  readonly error: object | null
}
interface Status {
  readonly needs_you: readonly { readonly kind: string; readonly what: string; readonly next: string }[]
}
const shown = (place: Place) => place.data<Shown>('workflow', 'show')
const needs = (place: Place) => place.data<Status>('status').needs_you
const code = ({ out }: { readonly out: string }) =>
  (JSON.parse(out) as { readonly error: { readonly code: string } }).error.code

test('list and graph end where the scope ends', () => {
  const place = begin()
  place.data('workflow', 'define', '--scope', 'research-only')
  expect(place.run('workflow', 'list').out).toMatch(/^research .*\(end\)$/m)
  expect(place.run('workflow', 'graph').out).toMatch(/^ {2}research .*\(end\)$/m)
})

test('a scope is told also where no session can be chosen, by the rules of the workspace', () => {
  const place = begin()
  place.data('session', 'create', 'other')
  const asked = ['workflow', 'detect-scope', 'fix the login'] as const
  expect(place.run(...asked)).toMatchObject({ status: 0, out: 'debug-only\n' })
  const scopeRules = [{ name: 'mend', scope: 'research-only', any: ['fix'] }]
  writeFileSync(path.join(place.dir, '.steadfold/config.json'), JSON.stringify({ scopeRules }))
  expect(place.run(...asked)).toMatchObject({ status: 0, out: 'research-only\n' })
  expect(place.run(...asked, '--session', 'nobody').status).toBe(3)
  expect(place.run('workflow', 'show').status).toBe(4)
})

describe('W2 W8 a command between intent and outcome', () => {
  test('when it succeeds the transition has its outcome', () => {
    const place = begin()
    expect(place.run('workflow', 'transition', 'research', '--', 'sh', '-c', 'echo did > it').status).toBe(0)
    expect(shown(place)).toMatchObject({ current: 'research', intent: null, error: null })
    expect(existsSync(path.join(place.dir, 'it'))).toBe(true)
    expect(place.run('workflow', 'transition', 'research', '--', 'false').status).toBe(0)
    expect(place.run('workflow', 'transition', 'test', '--', 'false', '--json').status).toBe(4)
  })

  test('when it fails the intent stays, status says so, and each retry is counted', () => {
    const place = begin()
    const file = place.file('w.yaml', 'retry_limit: 1\nstates: { initialize: {}, research: {} }\n')
    place.data('workflow', 'define', file)
    const again = ['workflow', 'transition', '--resume', '--', 'sh', '-c', 'exit 3']
    const failed = place.run('workflow', 'transition', 'research', '--', 'sh', '-c', 'exit 3')
    // Another that is begun meanwhile is not meant.
    const next = 'steadfold workflow transition research --resume'
    expect(failed).toMatchObject({ status: 10, err: expect.stringContaining(`next: ${next} -- CMD`) })
    expect(place.run('workflow', 'transition', 'test').err).toContain(`next: ${next}, or --abandon`)
    expect(needs(place)).toMatchObject([{ kind: 'UNFINISHED', what: 'initialize → research' }])
    expect(place.run(...again).status).toBe(10)
    expect(shown(place)).toMatchObject({
      current: 'initialize',
      intent: { to: 'research' },
      error: { last_error: 'exit 3', failed_state: 'research', retry_count: 1, limit: 1, class: 'transient' },
    })
    expect(code(place.run('workflow', 'transition', '--json', '--resume', '--', 'true'))).toBe('LIMIT_REACHED')
    expect(place.run('workflow', 'retry', '--approve').status).toBe(0)
    expect(place.run('workflow', 'transition', '--resume', '--', 'true').status).toBe(0)
    expect(shown(place)).toMatchObject({ current: 'research', intent: null, error: null })
    expect(needs(place)).toEqual([])
  })

  test('when it needs a person, releasing it is enough to go on', () => {
    const place = begin()
    expect(place.run('workflow', 'transition', 'research', '--', 'sh', '-c', 'exit 77').status).toBe(11)
    const [parked] = needs(place).filter(({ kind }) => kind === 'PARKED')
    expect(place.run('workflow', 'transition', '--resume', '--', 'sh', '-c', 'exit 77').status).toBe(11)
    expect(parked?.next).toContain('step release')
    expect(place.run('step', 'release', parked?.what.replace(/^step /, '') ?? '').status).toBe(0)
    expect(place.run('workflow', 'transition', '--resume', '--', 'sh', '-c', 'exit 77').status).toBe(11)
    expect(place.run('workflow', 'transition', '--abandon').status).toBe(0)
    expect(shown(place)).toMatchObject({ current: 'initialize', intent: null })
  })

  test('W9 into a state with approval it does not run before a person says so', () => {
    const place = begin()
    place.data('workflow', 'define', place.file('w.yaml', 'states: { a: {}, b: { approval: true }, c: {} }\n'))
    const command = ['--', 'sh', '-c', 'echo did >> it']
    const asked = place.run('workflow', 'transition', 'b', '--as', 'agent:a', ...command)
    expect(asked).toMatchObject({ status: 11, err: expect.stringContaining('--resume -- CMD') as string })
    expect(place.run('workflow', 'transition', '--resume', '--as', 'agent:a', ...command).status).toBe(11)
    expect(existsSync(path.join(place.dir, 'it'))).toBe(false)
    expect(needs(place)).toMatchObject([{ kind: 'UNFINISHED', what: 'a → b' }])
    expect(place.run('workflow', 'transition', '--resume', ...command).status).toBe(0)
    expect(readFileSync(path.join(place.dir, 'it'), 'utf8')).toBe('did\n')
    expect(shown(place)).toMatchObject({ current: 'b', intent: null })
  })

  test('a run does not decide for a person', () => {
    const place = begin()
    const file = place.file('w.yaml', 'name: demo\nstates:\n  a: { steps: { s: { run: "true" } } }\n  b: {}\n')
    place.data('workflow', 'define', file)
    place.data('workflow', 'transition', 'b', '--begin')
    expect(place.run('run', '--session', 'demo').status).toBe(11)
    expect(shown(place)).toMatchObject({ current: 'a', intent: { to: 'b' } })
  })
})

/** Where the program is killed; the command finds its process by the file `pid`. */
const POINTS: Readonly<Record<string, string>> = {
  'before its command has done anything': 'kill -9 $pid; echo ran >> effect',
  'after its command has done everything': 'echo ran >> effect; kill -9 $pid',
  'while its command is under way': 'echo half >> half; kill -9 $pid; sleep 0.2; echo ran >> effect',
}

describe('TR1 a transition whose program is killed with -9', () => {
  test.each(Object.entries(POINTS))('%s is shown, and goes on where it was', async (_, command) => {
    const place = begin()
    const script = `until [ -s pid ]; do sleep 0.01; done; pid=$(cat pid); rm pid; ${command}`
    const child = place.start('workflow', 'transition', 'research', '--', 'sh', '-c', script)
    writeFileSync(path.join(place.dir, 'pid'), String(child.pid))
    const signal = await new Promise((settle) => child.on('close', (_status, by) => settle(by)))
    expect(signal).toBe('SIGKILL')
    expect(shown(place)).toMatchObject({ current: 'initialize', intent: { to: 'research' } })
    expect(needs(place)).toMatchObject([{ kind: 'UNFINISHED', what: 'initialize → research' }])
    // What survived its program is waited for, not started twice.
    expect(place.run('workflow', 'transition', '--resume', '--', 'sh', '-c', script)).toMatchObject({ status: 0 })
    expect(shown(place)).toMatchObject({ current: 'research', intent: null })
    expect(readFileSync(path.join(place.dir, 'effect'), 'utf8')).toBe('ran\n')
    expect(place.run('verify').status).toBe(0)
  })
})
