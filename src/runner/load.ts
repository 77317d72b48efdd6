import type { Definition } from '../domain/workflow/definition.ts'
import { parseDefinition } from '../domain/workflow/parse.ts'
import { examine, refuseProblems } from '../domain/workflow/views.ts'
import { EngineError } from '../kernel/error.ts'
import { isForbiddenKey } from '../kernel/path/path.ts'
import type { RunWorkflow } from '../kernel/work/runner.ts'
import type { RunnerDeps } from './ports.ts'

/** Of a workflow, in characters. */
const LONGEST_NAME = 128

export interface Loaded {
  /** What was said, for workflow.define. */
  readonly value: unknown
  readonly definition: Definition
  /** Of the file, relative to the project where it lies inside; undefined when there was no file. */
  readonly folder: string | undefined
}

/** Throws WORKFLOW_INVALID or WORKFLOW_CYCLE with every place that is wrong, FILE_NOT_FOUND. */
export async function loadDefinition(
  deps: Pick<RunnerDeps, 'readWorkflow' | 'dir'>,
  { file, definition: value, signal }: Pick<RunWorkflow, 'file' | 'definition' | 'signal'>,
): Promise<Loaded> {
  if (file === undefined) return checked(value, ({ path }) => path.join('.') || 'workflow', undefined)
  const read = await deps.readWorkflow(file, signal)
  return checked(
    named(read.value, file),
    ({ path }) => `${read.locate(path)}: ${path.join('.') || 'workflow'}`,
    relative(deps.dir, read.folder),
  )
}

function checked(value: unknown, where: Parameters<typeof refuseProblems>[1], folder: string | undefined): Loaded {
  const { definition, report } = examine(value)
  if (definition !== undefined && !report.some(({ severity }) => severity === 'error'))
    return { value, definition, folder }
  const { code, message, ...more } = refuseProblems(report, where)
  throw new EngineError(code, message, more)
}

/** Who does not name a workflow names its file: two files without a name are two workflows. */
function named(value: unknown, file: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || 'name' in value) return value
  const [stem = ''] = (file.split(/[\\/]/).at(-1) ?? '').split('.')
  const name = stem
    .replaceAll(/[^\w-]+/g, '-')
    .replaceAll(/^[^A-Za-z]+|-+$/g, '')
    .slice(0, LONGEST_NAME)
  return name === '' || isForbiddenKey(name) ? value : { ...value, name }
}

const relative = (dir: string, folder: string): string =>
  folder === dir ? '.' : folder.startsWith(`${dir}/`) ? folder.slice(dir.length + 1) : folder

/** A workflow of one state with one step. */
export function oneStep(name: string, step: Readonly<Record<string, unknown>>): Definition {
  const parsed = parseDefinition({ name: 'command', states: { run: { steps: { [name]: step } } } })
  if (parsed.ok) return parsed.definition
  throw new EngineError(
    'INPUT_INVALID',
    parsed.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '),
  )
}
