/*
 * What a workflow file may say, and what is made of it: the same with every default written out.
 *
 * W1. Names of states and steps are plain; a step's name is unique in the whole workflow.
 * W2. Unknown members are refused with their place: a misspelt `need` must not silently do nothing.
 * W3. Needs name steps of the same or an earlier state, and have no cycle.
 * W4. A definition that was stored is read as itself: defaults do not change what is written out, and times are in ms.
 * W6. A handler is a step declared once and used by states; it becomes a step of the state, of the state's name.
 * W7. Two steps of a state that may run at the same time do not claim the same file.
 */
import * as z from 'zod/mini'
import { remembered } from '../../kernel/operation/operation.ts'
import { isForbiddenKey } from '../../kernel/path/path.ts'

const MOST_STEPS = 5000
const MOST_RETRIES = 100
const MOST_RULES = 200
const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/* Each is made when it is asked for: a transition reads no definition, and all of them take a tenth of its time. */
const plainName = remembered(() =>
  z.string().check(
    z.regex(/^[A-Za-z_][\w-]{0,127}$/, 'must begin with a letter or _ and hold only letters, digits, _ and -'),
    z.refine((name) => !isForbiddenKey(name), 'is never stored'),
  ),
)
const variable = remembered(() =>
  z.string().check(
    z.regex(/^[A-Za-z_]\w*$/, 'is no name for an environment variable'),
    z.refine((name) => !isForbiddenKey(name), 'is never stored'),
  ),
)
const text = remembered(() =>
  z.string().check(
    z.refine((value) => !value.includes('\0'), 'must not hold a NUL'),
    z.refine((value) => value.isWellFormed(), 'must be well-formed Unicode'),
  ),
)
const line = remembered(() => text().check(z.minLength(1)))
const duration = remembered(() =>
  z.pipe(
    z.union([
      z.number().check(z.positive()),
      z.string().check(
        z.regex(DURATION, 'must be a duration such as 500ms, 60s, 5m or 1h'),
        z.refine((value) => milliseconds(value) !== 0, 'must be above 0'),
      ),
    ]),
    z.transform((value) => milliseconds(value)),
  ),
)
const scalar = remembered(() =>
  z.pipe(
    z.union([
      text(),
      z.boolean(),
      z
        .number()
        .check(
          z.refine(
            (value) => Number.isSafeInteger(value) && !Object.is(value, -0),
            'write numbers in quotes, so that they stay as they are',
          ),
        ),
    ]),
    z.transform(String),
  ),
)
const inside = remembered(() =>
  line().check(
    z.refine(
      (pattern) => !pattern.startsWith('/') && !pattern.split('/').includes('..'),
      'must be relative to the project and stay inside it',
    ),
  ),
)
const paths = remembered(() =>
  z.union([
    z.pipe(
      inside(),
      z.transform((one) => [one]),
    ),
    z.array(inside()),
  ]),
)

const retries = remembered(() => z.int().check(z.minimum(0), z.maximum(MOST_RETRIES)))

const writtenStep = remembered(() =>
  z.strictObject({
    run: z.union([line(), z.array(text()).check(z.minLength(1))]),
    needs: z._default(
      z.union([
        z.pipe(
          plainName(),
          z.transform((one) => [one]),
        ),
        z.array(plainName()),
      ]),
      [],
    ),
    stage: z.optional(plainName()),
    timeout: z.optional(duration()),
    timeout_ms: z.optional(z.number().check(z.positive())),
    retries: z.optional(retries()),
    inputs: z._default(paths(), []),
    env: z._default(z.record(variable(), scalar()), {}),
    reads: z._default(
      z.record(
        variable(),
        z.string().check(z.regex(/^[A-Za-z_][\w.-]{0,255}$/, 'must name an output, such as step.name')),
      ),
      {},
    ),
    artifacts: z._default(paths(), []),
    /** What it will change: W7. */
    files: z.optional(paths()),
    /** Markdown that it writes: kept, and summed up for whoever supervises. */
    report: z.optional(inside()),
    repeatable: z._default(z.boolean(), false),
    cost_hint: z.optional(duration()),
    cost_hint_ms: z.optional(z.number().check(z.nonnegative())),
  }),
)

/** W4: what comes out is fit to go in again. */
const step = remembered(() =>
  z.pipe(
    writtenStep(),
    z.transform(
      ({ timeout, timeout_ms = timeout, cost_hint, cost_hint_ms = cost_hint, stage, files, report, ...rest }) => ({
        ...rest,
        ...(stage === undefined ? {} : { stage }),
        ...(files === undefined ? {} : { files }),
        ...(report === undefined ? {} : { report }),
        ...(timeout_ms === undefined ? {} : { timeout_ms }),
        ...(cost_hint_ms === undefined ? {} : { cost_hint_ms }),
      }),
    ),
  ),
)

const state = remembered(() =>
  z.strictObject({
    mode: z._default(z.enum(['parallel', 'waves', 'stages']), 'parallel'),
    max_parallel: z.optional(z.int().check(z.positive())),
    min_success: z._default(z.number().check(z.minimum(0), z.maximum(1)), 1),
    next: z.optional(
      z.union([
        z.pipe(
          plainName(),
          z.transform((one) => [one]),
        ),
        z.array(plainName()),
      ]),
    ),
    on_failure: z.optional(plainName()),
    approval: z._default(z.boolean(), false),
    /** W6. */
    handler: z.optional(z.union([plainName(), step()])),
    /** For steps that do not say it themselves. */
    timeout: z.optional(duration()),
    retries: z.optional(retries()),
    steps: z._default(z.record(plainName(), step()), {}),
  }),
)

/** A state may be left empty. */
const orEmpty = remembered(() =>
  z.pipe(
    z.nullable(state()),
    z.transform((value) => value ?? state().parse({})),
  ),
)

const phrases = remembered(() => z.array(line()))
const scopeRule = remembered(() =>
  z.strictObject({
    name: plainName(),
    scope: plainName(),
    because: z.optional(line()),
    any: phrases().check(z.minLength(1)),
    unless: z.optional(phrases()),
  }),
)

export const stateSchema = state
export const scopeRules = remembered(() => z.array(scopeRule()).check(z.maxLength(MOST_RULES)))
export const stepSchema = writtenStep

export const workflowSchema = remembered(() =>
  z.strictObject({
    name: z._default(plainName(), 'workflow'),
    goal: z.optional(z.nullable(text())),
    initial: z.optional(plainName()),
    terminal: z.optional(plainName()),
    /** Where each scope ends. */
    scopes: z.optional(z.record(plainName(), plainName())),
    /** Instead of the rules that tell a scope from a description. */
    scope_rules: z.optional(scopeRules()),
    /** Transitions that are not allowed are recorded instead of refused. */
    advisory: z.optional(z.boolean()),
    /** How often a failed state() may be retried before a person is needed. */
    retry_limit: z.optional(retries()),
    handlers: z.optional(z.record(plainName(), step())),
    states: z.record(plainName(), orEmpty()).check(
      z.refine((states) => Object.keys(states).length > 0, 'must name at least one state'),
      z.refine(
        (states) => Object.values(states).reduce((sum, { steps }) => sum + Object.keys(steps).length, 0) <= MOST_STEPS,
        `must hold at most ${MOST_STEPS} steps`,
      ),
    ),
  }),
)

export interface StepDefinition extends Omit<z.output<ReturnType<typeof step>>, 'retries'> {
  readonly retries: number
}

export interface StateDefinition extends Omit<
  z.output<ReturnType<typeof state>>,
  'next' | 'handler' | 'timeout' | 'retries' | 'steps'
> {
  /** Allowed transitions; the first is taken on success. */
  readonly next: readonly string[]
  readonly steps: Readonly<Record<string, StepDefinition>>
}

/** What a workflow file says, as types; the published JSON Schema comes from the same source. */
export type WorkflowInput = z.input<ReturnType<typeof workflowSchema>>

export type ScopeRule = z.output<ReturnType<typeof scopeRule>>

export interface Definition {
  readonly name: string
  readonly goal: string | null
  readonly initial: string
  readonly terminal: string
  readonly scopes?: Readonly<Record<string, string>> | undefined
  readonly scope_rules?: readonly ScopeRule[] | undefined
  readonly advisory?: boolean | undefined
  readonly retry_limit?: number | undefined
  readonly states: Readonly<Record<string, StateDefinition>>
}

function milliseconds(value: string | number): number {
  if (typeof value === 'number') return value * 1000
  const [, amount, unit = 's'] = DURATION.exec(value) ?? []
  return Number(amount) * (UNITS[unit] ?? 1000)
}
