import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { HOSTILE } from './hostile.ts'
import { Place, shells } from './shells.ts'

/** Built by `npm test` before the tests run. */
const COMMAND = path.resolve('dist/steadfold.cjs')

let place: Place
beforeEach(() => {
  place = new Place()
  fs.rmSync(place.root, { recursive: true })
})
afterEach(() => place.remove())

interface Answer {
  readonly data: unknown
}

/** The command itself, with --json. */
function ask(...words: readonly string[]): unknown {
  const { stdout } = spawnSync(process.execPath, [COMMAND, ...words, '--json', '--dir', place.dir], {
    encoding: 'utf8',
  })
  // Every answer is an object with data.
  return (JSON.parse(stdout) as Answer).data
}

const programs = shells.filter(({ name }) => ['bash', 'sh', 'zsh'].includes(name))

describe.each(programs)('workflow scripts in $name', (shell) => {
  /** One block of a script: a shell of its own. */
  const block = (script: string) => place.run(shell, `set -eu\n${script}`, { STEADFOLD_BIN: COMMAND })

  test('a script of several blocks goes through all eight states', () => {
    const first = block(`STATE_FILE=$(init_workflow_state "coordinate_1")
[ -f "$STATE_FILE" ]
sm_init "Implement the login page" "coordinate"
printf '%s\\n' "$CURRENT_STATE $TERMINAL_STATE $WORKFLOW_SCOPE"
append_workflow_state "REPORTS" "a.md,b.md"
append_workflow_state RETRY_COUNT_initialize 1
append_workflow_state RETRY_COUNT_initialize 2
sm_transition "$STATE_RESEARCH"`)
    expect(first).toEqual({ status: 0, out: 'initialize complete full-implementation\n', err: '' })
    const second = block(`load_workflow_state coordinate_1
printf '%s\\n' "$CURRENT_STATE $REPORTS $RETRY_COUNT_initialize $WORKFLOW_ID $COMMAND_NAME"
for state in "$STATE_PLAN" "$STATE_IMPLEMENT" "$STATE_TEST" "$STATE_DEBUG" "$STATE_TEST" "$STATE_DOCUMENT"; do sm_transition "$state"; done
sm_is_complete || printf 'open in %s\\n' "$(sm_current_state)"`)
    expect(second).toEqual({
      status: 0,
      out: 'research a.md,b.md 2 coordinate_1 coordinate\nopen in document\n',
      err: '',
    })
    const third = block(`load_workflow_state coordinate_1
execute_document_phase() { sm_transition "$STATE_COMPLETE"; }
sm_execute
sm_is_complete && sm_current_state`)
    expect(third).toEqual({ status: 0, out: 'complete\n', err: '' })
  })

  test('what a script says to sm_init, and where the project is, is there in every block', () => {
    const named = 'init_workflow_state w; sm_init "Fix it" build "" 3 \'["a"]\'; printf "%s" "$RESEARCH_COMPLEXITY"'
    expect(block(`${named} >/dev/null`)).toMatchObject({ status: 0, err: '' })
    const loaded = 'load_workflow_state w; printf "%s" "$RESEARCH_COMPLEXITY $RESEARCH_TOPICS_JSON $CLAUDE_PROJECT_DIR"'
    expect(block(`unset CLAUDE_PROJECT_DIR; ${loaded}`).out).toBe(`3 ["a"] ${place.dir}`)
    expect(block(`CLAUDE_PROJECT_DIR=/else; ${loaded}`).out).toBe('3 ["a"] /else')
    expect(block('sm_init a b c d e f')).toMatchObject({ status: 64 })
  })

  test('what is remembered is of one session: in another, nothing of it is told', () => {
    const { out } = block(`init_workflow_state one >/dev/null
sm_init "Research caching" coordinate
sm_transition research; append_workflow_state WHO one; sm_is_complete && printf 'done\\n'
load_workflow_state two 2>/dev/null || printf 'made\\n'
sm_is_complete || printf 'not %s\\n' "$(sm_current_state)"
steadfold_get WHO 2>/dev/null || printf 'nobody\\n'
append_workflow_state WHO two; append_workflow_state OTHER 2
export STEADFOLD_SESSION=one; steadfold_get WHO; sm_current_state
append_workflow_state WHO three; steadfold_get WHO
export STEADFOLD_SESSION=two; append_workflow_state LAST x; steadfold_get WHO`)
    expect(out).toBe('done\nmade\nnot \nnobody\none\nresearch\nthree\ntwo\n')
    expect(ask('output', 'list', '--session', 'two')).toMatchObject([
      { name: 'LAST' },
      { name: 'OTHER' },
      { name: 'WHO' },
    ])
  })

  test('H6: a refusal has the exit status and the words of the command, and changes nothing', () => {
    const { out, err } = block(`STATE_FILE=$(init_workflow_state w)
sm_init "Implement it" build
code=0; sm_transition debug || code=$?; printf '%s %s\\n' "$code" "$CURRENT_STATE"
code=0; sm_transition imp || code=$?; printf '%s %s\\n' "$code" "$CURRENT_STATE"
code=0; save_json_checkpoint broken '{"a": 1' || code=$?; printf '%s\\n' "$code"
code=0; steadfold_get nothing || code=$?; printf '%s\\n' "$code"`)
    expect(out).toBe('4 initialize\n4 initialize\n4\n3\n')
    expect(err).toContain('cannot go from "initialize" to "debug"')
    expect(ask('workflow', 'show', '--session', 'w')).toMatchObject({ current: 'initialize' })
  })

  test('H6: where a session is refused, values go on to that which was there before', () => {
    const { out } = block(`init_workflow_state one >/dev/null; init_workflow_state two >/dev/null
code=0; init_workflow_state a/b || code=$?; printf '%s %s\\n' "$code" "$WORKFLOW_ID"; append_workflow_state INIT two
code=0; load_workflow_state a/b || code=$?; printf '%s %s\\n' "$code" "$WORKFLOW_ID"; append_workflow_state LOAD two`)
    expect(out).toBe('4 two\n4 two\n')
    expect(ask('output', 'list', '--session', 'two')).toMatchObject([{ name: 'INIT' }, { name: 'LOAD' }])
  })

  test('where a scope ends before the workflow, going on to its end says that the work is done', () => {
    const { status, out, err } = block(`STATE_FILE=$(init_workflow_state w)
sm_init "Research caching" coordinate
sm_transition research; sm_is_complete
sm_transition complete; sm_is_complete && sm_current_state`)
    expect({ status, out }).toEqual({ status: 0, out: 'research\n' })
    expect(err).toBe('note: research-only ends in research, and its work is done\n')
    const shown = ask('workflow', 'show', '--session', 'w')
    expect(shown).toMatchObject({ current: 'research', completed_at: expect.any(String) as string })
    expect(block('load_workflow_state w; sm_transition plan').status).toBe(4)
  })

  test('the phase of a state is called also where its name has hyphens, and where the block has not read it yet', () => {
    const called =
      'execute_code_review_now_phase() { printf "%s\\n" "$@"; }; CURRENT_STATE=code-review-now; sm_execute a "b c"'
    expect(block(called)).toEqual({ status: 0, out: 'a\nb c\n', err: '' })
    block('init_workflow_state w >/dev/null; sm_init "Fix it" build')
    const unread = 'execute_initialize_phase() { printf "%s\\n" here; }; STEADFOLD_SESSION=w; sm_execute'
    expect(block(unread)).toEqual({ status: 0, out: 'here\n', err: '' })
    expect(block('init_workflow_state none >/dev/null; sm_execute').status).toBe(4)
  })

  test('a script may name its scope; one that is unknown is refused', () => {
    const named = 'init_workflow_state w >/dev/null; sm_init "Fix it" build research-and-plan 3 "[]"'
    expect(block(`${named}; printf '%s' "$WORKFLOW_SCOPE $TERMINAL_STATE"`).out).toBe('research-and-plan plan')
    expect(block('load_workflow_state w; sm_init "Fix it" build everything')).toMatchObject({ status: 4 })
    expect(block('load_workflow_state w; detect_workflow_scope "Fix it"').out).toBe('debug-only\n')
  })

  test('a workflow that the session has is kept', () => {
    block('init_workflow_state w >/dev/null')
    const file = path.join(place.dir, 'own.json')
    fs.writeFileSync(file, JSON.stringify({ name: 'own', states: { draft: {}, print: {} } }))
    ask('workflow', 'define', file, '--session', 'w')
    const { out } = block(
      'load_workflow_state w; sm_init "Print it" press; sm_transition print; sm_is_complete && sm_current_state',
    )
    expect(out).toBe('print\n')
  })

  test('checkpoints are JSON, and one that is missing is an empty object', () => {
    const { out } = block(`STATE_FILE=$(init_workflow_state w)
save_json_checkpoint supervisor '{"topics": 4, "list": ["a  b", null]}'
load_json_checkpoint supervisor
save_json_checkpoint word '"text"'; load_json_checkpoint word
load_json_checkpoint missing`)
    expect(out).toBe('{"topics":4,"list":["a  b",null]}\n"text"\n{}\n')
    expect(ask('state', 'get', '$.data.checkpoints.supervisor.topics', '--session', 'w')).toMatchObject({ value: 4 })
  })

  test('what a checkpoint is read of may be damaged: the warning is no part of the JSON', () => {
    block('init_workflow_state w >/dev/null; for n in 1 2 3; do save_json_checkpoint "c$n" "{\\"n\\":$n}"; done')
    const [id = ''] = fs.readdirSync(path.join(place.root, 'sessions'))
    const log = path.join(place.root, 'sessions', id, 'log', `${'1'.padStart(20, '0')}.jsonl`)
    fs.writeFileSync(log, fs.readFileSync(log, 'utf8').replace('{"n":2}', '{"n":7}'))
    expect(block('STEADFOLD_SESSION=w; load_json_checkpoint c1')).toMatchObject({
      status: 0,
      out: '{"n":1}\n',
      err: expect.stringMatching(/^warning: the log is damaged/) as unknown,
    })
  })

  test('H1: values reach the next shell byte for byte, though the first was killed', () => {
    const values = HOSTILE.filter((value) => value.length < 1000)
    values.forEach((value, i) => fs.writeFileSync(place.file(`v${i}`), value))
    const first = block(`STATE_FILE=$(init_workflow_state w); i=0
while [ -e "v$i" ]; do value=$(cat "v$i"; printf x); append_workflow_state "V$i" "\${value%x}"; i=$((i + 1)); done
kill -9 $$`)
    expect(first.status).not.toBe(0)
    const prints = values.map((_, i) => `printf '%s' "$V${i}" >back${i}`).join('\n')
    expect(block(`load_workflow_state w\n${prints}`)).toEqual({ status: 0, out: '', err: '' })
    values.forEach((value, i) => expect(fs.readFileSync(place.file(`back${i}`)).equals(value)).toBe(true))
    expect(fs.existsSync(place.file('pwned'))).toBe(false)
  })

  test('H3: values of many jobs and of commands at the same time are all kept, once', () => {
    const script = `STATE_FILE=$(init_workflow_state w)
for job in 1 2 3 4; do
  (n=0; while [ $n -lt 20 ]; do append_workflow_state "J\${job}_$n" "$job.$n"; n=$((n + 1)); done; "$STEADFOLD_BIN" output list --session w >/dev/null) &
done
wait`
    expect(block(script).status).toBe(0)
    const wanted = [1, 2, 3, 4].flatMap((job) =>
      Array.from({ length: 20 }, (_, n) => ({ name: `J${job}_${n}`, value: `${job}.${n}` })),
    )
    expect(ask('output', 'list', '--session', 'w')).toEqual(wanted.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
    expect(ask('log', '--session', 'w')).toHaveLength(81)
  })

  test('load_workflow_state of a session that is missing makes it and answers 1', () => {
    expect(
      block(
        'init_workflow_state a >/dev/null; load_workflow_state b && exit 9; printf "%s\\n" "$WORKFLOW_ID"; append_workflow_state k v',
      ),
    ).toEqual({ status: 0, out: 'b\n', err: '' })
    expect(ask('output', 'get', 'k', '--session', 'b')).toMatchObject({ value: 'v' })
  })

  test('load_workflow_state of the name that a session had goes on with it', () => {
    block('init_workflow_state a >/dev/null; append_workflow_state k v')
    ask('session', 'rename', 'a', 'b')
    expect(block('load_workflow_state a; printf "%s\\n" "$? $k"; append_workflow_state k w')).toMatchObject({
      out: '0 v\n',
    })
    expect(ask('output', 'get', 'k', '--session', 'b')).toMatchObject({ value: 'w' })
    expect(ask('session', 'list')).toHaveLength(1)
  })
})

test('in bash, a table of transitions that a script declares is its workflow', () => {
  const [bash] = programs.filter(({ name }) => name === 'bash')
  if (bash === undefined) return
  const script = `declare -A STATE_TRANSITIONS=([initialize]="analyze" [analyze]="process,complete" [process]="validate"
[validate]="complete" [complete]="")
init_workflow_state w >/dev/null
sm_init "Look at it" press analyze-only
printf '%s\\n' "$WORKFLOW_SCOPE $CURRENT_STATE $TERMINAL_STATE"
sm_transition analyze; sm_transition validate || printf '%s\\n' $?
sm_transition complete; sm_is_complete && sm_current_state`
  const { out } = place.run(bash, script, { STEADFOLD_BIN: COMMAND })
  expect(out).toBe('analyze-only initialize complete\n4\ncomplete\n')
  const states = ask('workflow', 'list', '--session', 'w') as readonly { readonly state: string }[]
  expect(states.map(({ state }) => state).toSorted()).toEqual([
    'analyze',
    'complete',
    'initialize',
    'process',
    'validate',
  ])
})

test('the path and the text of the library are printed', () => {
  const run = (...words: readonly string[]) =>
    spawnSync(process.execPath, [COMMAND, ...words], { encoding: 'utf8' }).stdout
  const file = run('shell').trimEnd()
  const text = fs.readFileSync(file, 'utf8')
  expect(run('shell', '--print')).toBe(text.replace(/^_steadfold_command=$/m, () => `_steadfold_command='${COMMAND}'`))
  expect(spawnSync('sh', ['-n', file]).status).toBe(0)
})
