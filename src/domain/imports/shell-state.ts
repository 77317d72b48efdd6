/*
 * `workflow_*.sh`: a state file that shells append assignments to and source again. It is read as data and never run.
 *
 * S1. An assignment begins at a line `export NAME=` and ends before the next one, or at the end.
 * S2. The last assignment of a name counts, as it would for a shell.
 * S3. What a shell would read otherwise than it was meant is reported: quotes and `$` inside, and ends without a quote.
 * S4. States that CURRENT_STATE had before are done, also where the list of completed ones was written over.
 * S5. An error counts while the work stands in the state that failed.
 * S6. Comments say nothing: on lines of their own, ahead of the first assignment, and behind a value. Where every line ends in
 *     CRLF, that is the end of a line, and no part of a value.
 */
import type { Importer } from '../../kernel/exchange/importer.ts'
import { stemOf } from './members.ts'
import { left } from './tasks.ts'

const ASSIGNMENT = /^(?:export |declare -x )?([A-Za-z_]\w{0,99})=/
const BEGINS = /^(?:export |declare -x )[A-Za-z_]\w*=/
/** Lines of them, and empty ones. */
const COMMENTS = /^(?:[ \t]*(?:#.*)?\r?\n)+/
const COMMENTED = /^("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'$`;&|]*)\s+(?:#.*)?$/
const STATES: ReadonlySet<string> = new Set(
  'initialize research plan implement test debug document complete'.split(' '),
)
const SCOPES: ReadonlySet<string> = new Set(
  'research-only research-and-plan research-and-revise implement-only full-implementation test-and-debug debug-only'.split(
    ' ',
  ),
)
/** They say where work stands. */
const PLACE = /^(?:CURRENT_STATE|COMPLETED_STATE_\d+|COMPLETED_STATES_COUNT|WORKFLOW_SCOPE)$/

interface Assignment {
  readonly name: string
  readonly value: string
  readonly line: number
  readonly lines: number
  readonly wrong: string | undefined
}

export const shellState: Importer = {
  kind: 'shell-state',
  summary: 'a workflow state file of a shell: export NAME="value" lines, read as data',
  detects: ({ text, path }) => /(?:\.sh(?:\.txt)?|^stdin)$/.test(path) && isState(text),
  read: ({ text, path }) => {
    const { assignments, strays } = assignmentsOf(text)
    const values = new Map(assignments.map(({ name, value }) => [name, value]))
    const outputs = [...values].filter(([name]) => !PLACE.test(name))
    const stands = placeOf(values, assignments)
    return {
      group: values.get('WORKFLOW_ID') ?? stemOf(path),
      goal: values.get('WORKFLOW_DESCRIPTION'),
      rows: [
        ...(outputs.length === 0 ? [] : [{ what: 'variables', count: outputs.length, becomes: 'outputs' }]),
        ...(stands === undefined
          ? left('variables on where work stands', values.size - outputs.length)
          : [{ what: 'variables', count: values.size - outputs.length, becomes: 'where the workflow stands' }]),
        ...left('lines that assign nothing', strays.length),
      ],
      problems: problemsOf(assignments, strays, values),
      requests: [
        ...(stands === undefined ? [] : [{ op: 'workflow.import', input: { checkpoint: stands } }]),
        ...outputs.map(([name, value]) => ({ op: 'output.set', input: { name, value } })),
      ],
    }
  },
}

/** S6: a program that begins with a comment assigns something, too, and does more than that. */
const isState = (text: string): boolean =>
  BEGINS.test(text) || (BEGINS.test(text.replace(COMMENTS, '')) && assignmentsOf(text).strays.length === 0)

/** S1 */
function assignmentsOf(text: string): {
  readonly assignments: readonly Assignment[]
  readonly strays: readonly number[]
} {
  const parts: { name: string; lines: string[]; line: number }[] = []
  const strays: number[] = []
  for (const [at, line] of linesIn(text).entries()) {
    const [head, name] = ASSIGNMENT.exec(line) ?? []
    const open = parts.at(-1)
    if (name !== undefined) parts.push({ name, lines: [withoutComment(line.slice(head?.length))], line: at + 1 })
    else if (open !== undefined && isOpen(open.lines)) open.lines.push(line)
    else if (line.trim() !== '' && !line.trimStart().startsWith('#')) strays.push(at + 1)
  }
  return {
    assignments: parts.map(({ name, lines, line }) => ({
      name,
      line,
      lines: lines.length,
      ...unquoted(lines.join('\n')),
    })),
    strays,
  }
}

/** S6 */
function linesIn(text: string): readonly string[] {
  const isCrlf = !/(?<!\r)\n/.test(text)
  return text.replace(/\r?\n$/, '').split(isCrlf ? '\r\n' : '\n')
}

/** S6: behind a value that has ended on its line, as a shell reads it. */
const withoutComment = (value: string): string => COMMENTED.exec(value)?.[1] ?? value

/** A value that ends in a quote, as its last line does, has ended; one whose first line is `"[` goes on to `]"`. */
const isOpen = (lines: readonly string[]): boolean =>
  (lines[0] ?? '').startsWith('"') &&
  (lines.length === 1 ? /^"$|[^"]$/.test(lines[0] ?? '') : !(lines.at(-1) ?? '').endsWith(']"'))

/** S3 */
function unquoted(raw: string): { readonly value: string; readonly wrong: string | undefined } {
  const quote = raw.startsWith('"') || raw.startsWith("'") ? raw.charAt(0) : ''
  if (quote === '') return { value: raw, wrong: /[\s$`;&|]/.test(raw) ? 'is not quoted' : undefined }
  const closed = raw.length > 1 && raw.endsWith(quote)
  const inner = raw.slice(1, closed ? -1 : undefined)
  if (!closed) return { value: inner, wrong: 'has no closing quote: it was cut off' }
  if (quote === "'") return { value: inner, wrong: undefined }
  const bare = inner.replaceAll(/\\[\\"$`]/g, '')
  const wrong = bare.includes('"') ? 'has quotes inside that are not escaped' : undefined
  const runs = /\$\(|`|\$\{?\w/.test(bare) ? 'has a $ that a shell would expand; it is text here' : undefined
  return { value: inner.replaceAll(/\\([\\"$`])/g, '$1'), wrong: wrong ?? runs }
}

function problemsOf(
  assignments: readonly Assignment[],
  strays: readonly number[],
  values: ReadonlyMap<string, string>,
): readonly string[] {
  const wrong = assignments.flatMap(({ name, line, lines, wrong: said }) => [
    ...(lines > 1 ? [`line ${line}: ${name} spans ${lines} lines`] : []),
    ...(said === undefined ? [] : [`line ${line}: ${name} ${said}`]),
  ])
  const twice = [...values.keys()].flatMap((name) => {
    const all = assignments.filter((each) => each.name === name)
    const others = new Set(all.map(({ value }) => value)).size
    return all.length < 2
      ? []
      : [
          `${name} is assigned ${all.length} times${others < 2 ? ', always the same' : `, with ${others} values; the last counts`}`,
        ]
  })
  const state = values.get('CURRENT_STATE')
  const unknown =
    state === undefined || STATES.has(state) ? [] : [`CURRENT_STATE "${state}" is no state of the default workflow`]
  const scope = values.get('WORKFLOW_SCOPE')
  const odd =
    scope === undefined || SCOPES.has(scope) ? [] : [`WORKFLOW_SCOPE "${scope}" is no scope of the default workflow`]
  const bare = values.has('WORKFLOW_ID') ? [] : ['there is no WORKFLOW_ID: the file was cut short, or written over']
  return [...bare, ...wrong, ...twice, ...unknown, ...odd, ...strays.map((line) => `line ${line} assigns nothing`)]
}

/** As a checkpoint, which is how work comes in; undefined where the file does not say it. */
function placeOf(values: ReadonlyMap<string, string>, assignments: readonly Assignment[]) {
  const current = values.get('CURRENT_STATE')
  if (current === undefined || !STATES.has(current)) return undefined
  const scope = values.get('WORKFLOW_SCOPE')
  const description = values.get('WORKFLOW_DESCRIPTION')
  const command = values.get('COMMAND_NAME')
  return {
    version: '2.0',
    status: current === 'complete' ? 'completed' : 'in_progress',
    state_machine: {
      current_state: current,
      completed_states: completedOf(values, assignments).filter((each) => STATES.has(each)),
      workflow_config: {
        ...(scope !== undefined && SCOPES.has(scope) ? { scope } : {}),
        ...(description === undefined ? {} : { description }),
        ...(command === undefined ? {} : { command }),
      },
    },
    ...errorOf(values, current),
    ...(values.has('PLAN_FILE') ? { plan_path: values.get('PLAN_FILE') } : {}),
  }
}

/** S4 */
function completedOf(values: ReadonlyMap<string, string>, assignments: readonly Assignment[]): readonly string[] {
  const count = Number(values.get('COMPLETED_STATES_COUNT') ?? 0)
  const listed = Array.from({ length: Math.min(count || 0, 100) }, (_, i) => values.get(`COMPLETED_STATE_${i}`) ?? '')
  const passed = assignments.filter(({ name }) => name === 'CURRENT_STATE').map(({ value }) => value)
  return [...listed.filter((state) => !passed.includes(state)), ...passed]
}

/** S5 */
function errorOf(values: ReadonlyMap<string, string>, current: string) {
  const last_error = values.get('LAST_ERROR') ?? ''
  if (last_error === '' || values.get('FAILED_STATE') !== current) return {}
  const retries = Number(values.get(`RETRY_COUNT_${current}`) ?? 0)
  const retry_count = Number.isSafeInteger(retries) && retries > 0 ? retries : 0
  return { error_state: { last_error, failed_state: current, retry_count } }
}
