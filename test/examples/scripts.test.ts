/* The example scripts as somebody runs them, with the built program on the path. */
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Place, plainEnv, PROGRAM } from '../cli/binary.ts'

const EXAMPLES = join(import.meta.dirname, '..', '..', 'examples')

let place: Place
beforeEach(() => {
  place = new Place({ init: false })
  mkdirSync(join(place.dir, 'bin'))
  const shim = place.file('bin/steadfold', `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`)
  chmodSync(shim, 0o755)
})
afterEach(() => place.remove())

const environment = () =>
  plainEnv({ PATH: `${join(place.dir, 'bin')}:${process.env['PATH'] ?? ''}`, TRACK_PACE_MS: '1', NO_COLOR: '1' })

const script = (shell: string, name: string, ...words: readonly string[]) =>
  spawnSync(shell, [join(EXAMPLES, name), ...words], {
    cwd: place.dir,
    env: environment(),
    encoding: 'utf8',
    timeout: 60_000,
  })

describe('eight-states.sh', () => {
  const ALL = ['initialize', 'research', 'plan', 'implement', 'test', 'debug', 'test', 'document', 'complete']
  const statesIn = (out: string) => out.split('\n').filter((line) => ALL.includes(line))

  test('goes through all eight states, and values come back byte for byte', () => {
    writeFileSync(join(place.dir, 'a.md'), 'one two three\n')
    const { status, stdout, stderr } = script('bash', 'eight-states.sh', 'w')
    expect(stderr).toBe('')
    expect(status).toBe(0)
    expect(statesIn(stdout)).toEqual(ALL)
    expect(stdout).toContain('3 words in 1 Markdown files; tested 2 times')
    const shown = place.data<{ completed: unknown; current: string }>('workflow', 'show', '--session', 'w')
    expect(shown).toMatchObject({ current: 'complete', finished: true, scope: 'full-implementation' })
    expect(place.run('output', 'get', 'PLAN', '--session', 'w').out).toContain('3. $(this is text) and "so is this"')
    expect(readFileSync(join(place.dir, 'counter/README.txt'), 'utf8')).toContain('"3 words"')
  })

  test('killed in the middle it goes on in the state where it stood', async () => {
    const child = spawn('bash', [join(EXAMPLES, 'eight-states.sh'), 'w'], {
      cwd: place.dir,
      env: environment(),
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    await new Promise<void>((resolve) => {
      let told = ''
      child.stdout.on('data', (bytes: Buffer) => {
        told += bytes.toString()
        if (told.includes('plan\n')) resolve()
      })
    })
    const over = new Promise((resolve) => child.once('close', resolve))
    process.kill(-(child.pid ?? 0), 'SIGKILL')
    await over
    const { status, stdout } = script('bash', 'eight-states.sh', 'w')
    expect(status).toBe(0)
    expect(['plan', 'implement']).toContain(statesIn(stdout)[0])
    expect(statesIn(stdout).at(-1)).toBe('complete')
  })
})

describe('three-waves.sh', () => {
  test('only the track that failed and the one behind it run again', () => {
    const { status, stdout, stderr } = script('sh', 'three-waves.sh')
    expect(status, stderr).toBe(0)
    const ran = readFileSync(join(place.dir, 'build/ran.txt'), 'utf8').trim().split('\n')
    expect(ran.toSorted()).toEqual(['form', 'schema', 'server', 'server', 'tests', 'theme'])
    const [failed = '', again = ''] = stdout.split('== the contract is mended')
    expect(failed).toContain('exit 10')
    expect(failed).toMatch(/wave 2 {2}server +failed .*exit 1/)
    expect(failed).toMatch(/wave 3 {2}tests +skipped .*needs server, which failed/)
    expect(again).toContain('5 of 5 workers done')
    expect(again).toMatch(/all +[\d,]+ +\d+ +\d+\.\d% less/)
    expect(again).toMatch(/critical path .*→.*tests\)/)
    expect(existsSync(join(place.dir, 'build/reports/tests.md'))).toBe(true)
  })

  test('what two tracks at the same time would change is refused', () => {
    const text = readFileSync(join(EXAMPLES, 'three-waves.workflow.yaml'), 'utf8')
    const file = place.file('clash.yaml', text.replace('files: build/theme.css', 'files: build/*'))
    const { status, err } = place.run('workflow', 'validate', file)
    expect(status).toBe(4)
    expect(err).toMatch(/steps "schema" and "theme" may run at the same time and both claim/)
  })
})
