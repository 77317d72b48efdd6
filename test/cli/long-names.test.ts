/* Beside a name that fills the line, what the list is read for. */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Place, plainEnv, PROGRAM } from './binary.ts'

const LONG = 'check-every-page-of-the-documentation-against-what-the-commands-of-it-really-say-now'

let place: Place

beforeAll(() => {
  place = new Place()
  const steps = `a: { steps: { ${LONG}: { run: 'true' }, short: { run: 'exit 3' } } }`
  place.file('long.workflow.yaml', `name: long\nstates: { ${steps} }\n`)
  place.run('run', 'long.workflow.yaml')
  place.run('output', 'set', `${LONG}.found`, 'what it found there', '--session', 'long')
  place.run('output', 'set', 'short', 'nothing', '--session', 'long')
})
afterAll(() => place.remove())

const hasTerminal = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0

/** What a terminal of eighty columns shows. */
function shown(...args: readonly string[]): string {
  const line = `stty cols 80; ${process.execPath} ${PROGRAM} ${args.join(' ')}`
  const env = plainEnv({ NO_COLOR: '1', TERM: 'xterm' })
  const { stdout } = spawnSync('script', ['-qec', line, '/dev/null'], { cwd: place.dir, env, encoding: 'utf8' })
  return stdout.replaceAll('\r', '')
}

describe.skipIf(!hasTerminal)('on a terminal (where there is script of util-linux)', () => {
  test('F1 a step list says how each step stands', () => {
    const text = shown('step', 'list', '--session', 'long')
    expect(text).toMatch(new RegExp(`^${LONG}  finished`, 'm'))
    expect(text).toMatch(/^short +failed/m)
  })

  test('F1 a list of outputs shows what each holds', () => {
    const text = shown('output', 'list', '--session', 'long')
    expect(text).toMatch(new RegExp(`^${LONG}.found  what it fou…$`, 'm'))
    expect(text).toMatch(/^short +nothing$/m)
  })

  test('F1 status says of a damaged log that it is', () => {
    place.data('session', 'create', LONG)
    const logOf = (name: string) => {
      const { id } = place.data<{ readonly id: string }>('session', 'show', name)
      return path.join(place.dir, '.steadfold', 'sessions', id, 'log', `${'1'.padStart(20, '0')}.jsonl`)
    }
    // A commit of another does not follow its own.
    const [, second = ''] = fs.readFileSync(logOf('long'), 'utf8').split('\n')
    fs.appendFileSync(logOf(LONG), `${second}\n`)
    expect(shown('status')).toMatch(/^  DAMAGED .* log +its log is damaged /m)
  })
})
