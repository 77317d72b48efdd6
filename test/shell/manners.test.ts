import * as fs from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isDenied } from '../../src/domain/outputs/views.ts'
import { Spool, type Fact } from '../../src/drivers/files/spool.ts'
import { parseOutputs } from '../../src/kernel/text/output-grammar.ts'
import { shellLibrary, shellView } from '../../src/surfaces/shell/shell.ts'
import { HOSTILE } from './hostile.ts'
import { Place, shells } from './shells.ts'

let place: Place
beforeEach(() => {
  place = new Place()
})
afterEach(() => place.remove())

const facts = (): readonly Fact[] => new Spool({ root: place.root, now: Date.now }).list()
const values = () => facts().map((fact) => `${fact.name}=${fact.value.toString('latin1')}`)

const FREE =
  'A FOO foo PLAN_PATH CURRENT_STATE STATE_FILE WORKFLOW_ID RETRY_COUNT_initialize PATHS HOMEPAGE PS PSX LDX NODES'.split(
    ' ',
  )
const STEERING =
  'PATH IFS ENV HOME SHELL PWD OLDPWD UID EUID PPID GROUPS PS1 PS4 PROMPT_COMMAND CDPATH TMPDIR OPTIND OPTARG OPTERR LINENO ' +
  'RANDOM SRANDOM SECONDS EPOCHREALTIME FUNCNAME DIRSTACK HISTFILE MAILPATH GLOBIGNORE EXECIGNORE FIGNORE POSIXLY_CORRECT ' +
  'TMOUT LC_ALL LANG LANGUAGE EDITOR VISUAL PAGER LESSOPEN BASH_ENV BASHOPTS SHELLOPTS LD_PRELOAD DYLD_INSERT_LIBRARIES ' +
  'NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS PYTHONPATH PERL5OPT RUBYOPT RUBYLIB JAVA_TOOL_OPTIONS _JAVA_OPTIONS GIT_PAGER ' +
  'SSH_AUTH_SOCK GCONV_PATH LOCPATH BROWSER http_proxy HTTPS_PROXY ALL_PROXY npm_config_x STEADFOLD_BIN _steadfold_x _'
const NAMES = [...FREE, ...STEERING.split(' ')]

describe.each(shells)('manners of the shell library in $name', (shell) => {
  const run = (script: string, env?: Readonly<Record<string, string>>) => place.run(shell, script, env)

  test.each([
    ['errexit, nounset', 'set -eu'],
    ['pipefail', 'set -eu; (set -o pipefail) 2>/dev/null && set -o pipefail'],
    ['IFS of letters and digits', 'IFS="0123456789_aeiout/."'],
    ['empty IFS', 'IFS='],
    ['noglob and noclobber', 'set -fC'],
    ['positional parameters', 'set -- one "two three"'],
    ['a UTF-8 locale', 'LC_ALL=C.UTF-8'],
    ['a read-only variable', 'readonly a=1 K=2'],
  ])('H5: works under %s and leaves it as it was', (_, setting) => {
    const script = `${setting}
state() { printf '%s|' "$-" "$IFS" "$#" "$*" "$(umask)" "$PWD"; trap; }
before=$(state "$@")
append_workflow_state KEY_1 "one two"
steadfold_set x.y "3" && steadfold_get KEY_1 && steadfold_get x.y back
[ "$before" = "$(state "$@")" ] && printf '%s\\n' "$back"`
    expect(run(script)).toEqual({ status: 0, out: 'one two\n3\n', err: '' })
    expect(values()).toEqual(['KEY_1=one two', 'x.y=3'])
  })

  test('H5: every name it adds is its own or one of a workflow script', () => {
    const listed = (script: string) => new Set(place.run(shell, script).out.match(/^[A-Za-z_]\w*(?==)/gm))
    const bare = new Set(place.run(shell, 'set', {}).out.match(/^[A-Za-z_]\w*(?==)/gm))
    const used = listed('steadfold_set a 1; steadfold_get a b >/dev/null; unset b; (steadfold_set a 2); set')
    const foreign = [...used].filter(
      (name) => !bare.has(name) && !name.startsWith('_steadfold_') && !['BASHPID', 'EPOCHREALTIME'].includes(name),
    )
    expect(foreign).toEqual([])
    const own = [...bare].filter((name) => /^(STATE_|WORKFLOW|CURRENT|TERMINAL)/.test(name)).sort()
    expect(own).toEqual(
      ['COMPLETE', 'DEBUG', 'DOCUMENT', 'IMPLEMENT', 'INITIALIZE', 'PLAN', 'RESEARCH', 'TEST'].map((n) => `STATE_${n}`),
    )
  })

  test('H5: no trap is set, and nothing is removed when the shell ends', () => {
    expect(run('steadfold_set a 1; trap').out).toBe('')
    expect(values()).toEqual(['a=1'])
  })

  test('H6: a missing workspace is exit 3 and says what to do', () => {
    fs.rmSync(place.root, { recursive: true })
    const { status, err } = run('steadfold_set a 1')
    expect({ status, next: err.includes('next: steadfold init') }).toEqual({ status: 3, next: true })
  })

  test('H6: a workspace that goes while a script runs is exit 3, too', () => {
    const { status, err } = run(`steadfold_set a 1; rm -r '${place.root}'; steadfold_set a 2`)
    const said = `error: there is no ${place.root} any more\nnext: steadfold init\n`
    expect({ status, said: err.slice(-said.length) }).toEqual({ status: 3, said })
  })

  test('H6: a missing command is exit 8 and says what to do', () => {
    const { status, err } = run('sm_transition research', { STEADFOLD_BIN: '/nowhere/steadfold' })
    expect({ status, next: err.includes('STEADFOLD_BIN') }).toEqual({ status: 8, next: true })
  })

  test('H6: wrong use is exit 64', () => {
    for (const call of [
      'steadfold_set a',
      'steadfold_get',
      'steadfold_get a b c',
      'steadfold_output a',
      'sm_transition',
      'save_json_checkpoint a',
      'load_json_checkpoint',
    ]) {
      expect({ call, status: run(call).status }).toEqual({ call, status: 64 })
    }
  })

  test('the workspace is found from a folder inside it, from STEADFOLD_DIR and from .steadfold itself', () => {
    fs.mkdirSync(place.file('a/b'), { recursive: true })
    expect(run('cd a/b; steadfold_set k 1; cd /; steadfold_set k 2').status).toBe(0)
    expect(run('cd /; steadfold_set k 3', { STEADFOLD_DIR: place.dir }).status).toBe(0)
    expect(run('cd /; steadfold_set k 4', { STEADFOLD_DIR: place.root }).status).toBe(0)
    expect(run('STEADFOLD_DIR=.; steadfold_set k 5; cd a; steadfold_set k 6').status).toBe(0)
    const linked = 'link=$(mktemp -d); ln -s "$PWD/a/b" "$link/in"; cd "$link/in"; steadfold_set k 7; rm -r "$link"'
    expect(run(linked)).toMatchObject({ status: 0, err: '' })
    expect(run('cd /; steadfold_set k 8', { STEADFOLD_DIR: `${place.root}/` }).status).toBe(0)
    expect(values()).toEqual(['k=1', 'k=2', 'k=3', 'k=4', 'k=5', 'k=6', 'k=7', 'k=8'])
  })

  test('facts carry the session that was named last', () => {
    const script =
      'steadfold_set k 1; STEADFOLD_SESSION=one; steadfold_set k 2; STATE_FILE=$PWD/.steadfold/shell/two.sh; steadfold_set k 3\n' +
      'STEADFOLD_SESSION=three; steadfold_set k 4'
    expect(run(script).status).toBe(0)
    expect(facts().map(({ session }) => session)).toEqual(['', 'one', 'two', 'three'])
  })

  test('steadfold_output writes the grammar of outputs inside a step', () => {
    const bytes = HOSTILE.slice(0, -2)
    bytes.forEach((value, i) => fs.writeFileSync(place.file(`v${i}`), value))
    const script =
      'i=0; while [ -e "v$i" ]; do v=$(cat "v$i"; printf x); steadfold_output "o.$i" "${v%x}" || exit; i=$((i + 1)); done'
    expect(run(script, { STEADFOLD_OUTPUT: place.file('out') })).toEqual({ status: 0, out: '', err: '' })
    const parsed = parseOutputs(fs.readFileSync(place.file('out'), 'utf8'))
    expect(parsed).toEqual(bytes.map((value, i) => ({ name: `o.${i}`, value: value.toString() })))
    expect(facts()).toEqual([])
    expect(run('steadfold_output a 1').status).toBe(0)
    expect(values()).toEqual(['a=1'])
  })

  test('H1: the view of a session becomes variables, byte for byte, and dangerous ones do not', () => {
    const hostile = HOSTILE.map((value, i) => ({ name: `V${i}`, value: value.toString() }))
    const danger = ['PATH', 'IFS', 'BASH_ENV', 'LD_PRELOAD', 'NODE_OPTIONS', 'PS4', 'UID', 'GIT_PAGER'].map((name) => ({
      name,
      value: 'evil',
    }))
    const view = shellView({
      session: 's-1',
      current: 'plan',
      terminal: 'complete',
      scope: 'full-implementation',
      outputs: [{ name: 'a.b', value: 'dotted\n' }, ...hostile, ...danger],
    })
    fs.writeFileSync(place.file('view'), view)
    fs.writeFileSync(place.file('command'), `#!/bin/sh\ncat '${place.file('view')}'\n`, { mode: 0o755 })
    const names = hostile.map(({ name }) => `printf '%s' "$${name}" >${name}`).join('\n')
    const script = `PS4=old IFS=:; load_workflow_state; sm_current_state; printf '%s\\n' "$TERMINAL_STATE $WORKFLOW_SCOPE" "$PS4$IFS" "\${BASH_ENV-}\${LD_PRELOAD-}\${NODE_OPTIONS-}"
steadfold_get a.b dotted; printf '%s' "$dotted" >dotted; steadfold_get PATH; sm_is_complete || printf 'open\\n'
${names}`
    const done = run(script, { STEADFOLD_BIN: place.file('command') })
    expect(done.out).toBe('plan\ncomplete full-implementation\nold:\n\nevil\nopen\n')
    expect(done.err.match(/^note: \$/gm)).toHaveLength(danger.length)
    for (const { name, value } of hostile) expect(fs.readFileSync(place.file(name), 'utf8')).toBe(value)
    expect(fs.readFileSync(place.file('dotted'), 'utf8')).toBe('dotted\n')
    expect(fs.existsSync(place.file('pwned'))).toBe(false)
  })
})

test.each(shells)('H5: what is never exported is never set either in $name', (shell) => {
  const script = `_steadfold_give=all; for n in ${NAMES.join(' ')}; do (_steadfold_offer "$n" x 2>&1) | grep -q note && printf '%s\\n' "$n"; done`
  const kept = new Set(place.run(shell, script).out.trim().split('\n'))
  expect(NAMES.filter((name) => isDenied(name) && !kept.has(name))).toEqual([])
  expect(NAMES.filter((name) => !kept.has(name))).toEqual(FREE)
})

test('the printed library knows its command, whatever its path', () => {
  expect(shellLibrary()).toContain('\n_steadfold_command=\n')
  expect(shellLibrary({ command: "/opt/it's $here/steadfold" })).toContain(
    `\n_steadfold_command='/opt/it'\\''s $here/steadfold'\n`,
  )
})
