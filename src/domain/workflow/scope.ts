/*
 * What somebody asks for, by an ordered list of rules: the first that fits decides.
 *
 *   1 research-limit     "only research", "research only"                       research-only
 *   2 plan-limit         "only plan", "no code", "without implementing"         research-and-plan
 *   3 implement-limit    "only implement", "without research"                   implement-only
 *   4 test-and-debug     "test and debug", "run the tests and fix"              test-and-debug
 *   5 revision           "revise the plan", "update the plan"                   research-and-revise
 *   6 plan-of-change     "plan how to", "design the migration"                  research-and-plan
 *   7 execution          "execute the plan"                                     full-implementation
 *   8 implementation     "implement"                                            full-implementation
 *   9 feature            "build … feature", "add … support"                     full-implementation
 *  10 fault              "fix", "debug", "troubleshoot", "root cause"           debug-only
 *  11 plan               "plan", "design", "propose"                            research-and-plan
 *  12 research           "research"                                             research-only
 *   0 nothing of these                                                          research-and-plan
 *
 * S1. Words are compared whole and without case; `..` in a phrase stands for up to four words.
 * S2. A rule fits when one of its phrases occurs and none of its `unless` does.
 * S3. A definition that has `scope_rules` has them instead of these; else the `scopeRules` of the workspace, where it has any.
 * S4. When nothing fits the answer is the one that can do least harm: it ends before anything is changed.
 */
import { EngineError } from '../../kernel/error.ts'
import { DEFAULT_SCOPES } from './default.ts'
import { scopeRules, type Definition, type ScopeRule } from './definition.ts'

const GAP = '..'
const MOST_SKIPPED = 4

const listed = (phrases: string): readonly string[] => phrases.split(', ')

export const SCOPE_RULES: readonly ScopeRule[] = [
  {
    name: 'research-limit',
    scope: 'research-only',
    because: 'it limits itself to research',
    any: ['only research', 'just research', 'research only', 'only analyze', 'only investigate', 'only explore'],
  },
  {
    name: 'plan-limit',
    scope: 'research-and-plan',
    because: 'it limits itself to a plan',
    any: [
      ...listed('only plan, just plan, plan only, planning only, no code'),
      ...listed('no implementation, without code, without implementing, without implementation'),
    ],
  },
  {
    name: 'implement-limit',
    scope: 'implement-only',
    because: 'it limits itself to the implementation',
    any: [
      ...listed('only implement, just implement, implement only, implementation only'),
      ...listed('without research, no research, skip research, skip the research'),
    ],
  },
  {
    name: 'test-and-debug',
    scope: 'test-and-debug',
    because: 'it asks for tests and for what they find',
    any: [
      ...listed('test and debug, tests and debug, test and fix, tests and fix'),
      ...listed('test then debug, testing and debugging, run the tests, run all tests'),
    ],
  },
  {
    name: 'revision',
    scope: 'research-and-revise',
    because: 'it asks for a change of a plan that exists',
    any: ['revise .. plan', 'revise .. plans', 'revising .. plan', 'update .. plan', 'updating .. plan'],
    unless: ["don't revise", 'do not revise', "don't update", 'do not update', 'without revising'],
  },
  {
    name: 'plan-of-change',
    scope: 'research-and-plan',
    because: 'it asks for a plan of a change, not for the change',
    any: [
      ...listed('plan how to, planning how to, design how to, propose how to, outline how to, plan to implement'),
      ...listed('plan to build, plan the implementation, plan the migration, design the migration'),
    ],
  },
  {
    name: 'execution',
    scope: 'full-implementation',
    because: 'it asks for a plan to be carried out',
    any: ['execute .. plan', 'carry out .. plan'],
  },
  {
    name: 'implementation',
    scope: 'full-implementation',
    because: 'it asks for an implementation',
    any: ['implement', 'implements', 'implementing'],
  },
  {
    name: 'feature',
    scope: 'full-implementation',
    because: 'it asks for something new',
    any: listed('build, add, create, develop, ship').flatMap((verb) =>
      listed('feature, features, functionality, support').map((noun) => `${verb} ${GAP} ${noun}`),
    ),
  },
  {
    name: 'fault',
    scope: 'debug-only',
    because: 'it looks for a fault',
    any: [
      ...listed('fix, fixes, fixing, debug, debugging, troubleshoot'),
      ...listed('troubleshooting, diagnose, diagnosing, root cause, bisect, reproduce'),
    ],
  },
  {
    name: 'plan',
    scope: 'research-and-plan',
    because: 'it asks for a plan',
    any: [
      ...listed('plan, plans, planning, design, designing, architect'),
      ...listed('outline, roadmap, propose, proposal, specify, specification'),
    ],
  },
  {
    name: 'research',
    scope: 'research-only',
    because: 'it asks for knowledge',
    any: ['research', 'researching'],
  },
]

const LEAST = 'research-and-plan'

export interface Detected {
  readonly scope: string
  /** State at which the workflow ends for this scope; null when it has none for it. */
  readonly terminal: string | null
  /** 1-based; 0 when no rule fitted. */
  readonly rule: number
  readonly name: string | null
  readonly because: string
  /** The words that decided. */
  readonly matched: string | null
}

export function detectScope(
  description: string,
  { scope_rules: rules = SCOPE_RULES, scopes = DEFAULT_SCOPES }: Pick<Definition, 'scope_rules' | 'scopes'> = {},
): Detected {
  const words = wordsOf(description)
  const end = (scope: string) => (Object.hasOwn(scopes, scope) ? (scopes[scope] ?? null) : null)
  for (const [at, { name, scope, because = null, any, unless = [] }] of rules.entries()) {
    const matched = firstOf(words, any)
    if (matched === undefined || firstOf(words, unless) !== undefined) continue
    return { scope, terminal: end(scope), rule: at + 1, name, because: because ?? `rule ${name} fits`, matched }
  }
  return { scope: LEAST, terminal: end(LEAST), rule: 0, name: null, because: 'no rule fits', matched: null }
}

/** S3: what a workspace has set; none of its own are the built-in ones. */
export function rulesOf(given: readonly unknown[]): readonly ScopeRule[] {
  const { data, error } = scopeRules().safeParse(given)
  const [issue] = error?.issues ?? []
  if (data !== undefined) return data.length === 0 ? SCOPE_RULES : data
  throw new EngineError('WORKFLOW_INVALID', `scopeRules of config.json: ${issue?.path.join('.') ?? ''} is wrong`, {
    hint: 'each is {"name", "scope", "any": ["phrase", …]}, with "unless" and "because" as it likes',
  })
}

/** S1. A path stays one word, so that its folders say nothing. */
function wordsOf(text: string): readonly string[] {
  const pieces = text
    .toLowerCase()
    .replaceAll('’', "'")
    .split(/[\s,;:!?()"“”„&+]+/u)
  return pieces
    .map((piece) => piece.replaceAll(/^['`.*_-]+|['`.*_-]+$/g, ''))
    .flatMap((piece) => (/[/.\\]/.test(piece) ? [piece] : piece.split('-')))
    .filter((word) => word !== '')
}

function firstOf(words: readonly string[], phrases: readonly string[]): string | undefined {
  for (const phrase of phrases) {
    const wanted = phrase.toLowerCase().split(/[\s-]+/)
    for (let at = 0; at < words.length; at += 1) {
      const end = endOf(words, at, wanted)
      if (end !== undefined) return words.slice(at, end).join(' ')
    }
  }
  return undefined
}

/** Where the phrase that begins at `at` ends; undefined when it does not stand there. The nearest words win. */
function endOf(words: readonly string[], at: number, wanted: readonly string[]): number | undefined {
  let place = at
  let skip = 0
  for (const word of wanted) {
    if (word === GAP) {
      skip = MOST_SKIPPED
      continue
    }
    const found = words.slice(place, place + skip + 1).indexOf(word)
    if (found < 0) return undefined
    place += found + 1
    skip = 0
  }
  return place
}
