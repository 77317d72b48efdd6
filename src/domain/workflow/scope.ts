/*
 * Which part of the default workflow a description asks for. The first rule that fits decides:
 *
 *   1 only research          "only research", "research only"                    research-only
 *   2 only a plan            "only plan", "no code", "without implementing"      research-and-plan
 *   3 a plan of a change     "plan how to implement …", "design the migration"   research-and-plan
 *   4 a change               implement, build, add, fix, refactor …              full-implementation
 *   5 a fault                debug, diagnose, troubleshoot, root cause           debug-only
 *   6 a plan                 plan, design, propose, specify                      research-and-plan
 *   7 knowledge              research, analyse, compare, explore …               research-only
 *   0 nothing of these                                                           full-implementation
 */
export type Scope = 'research-only' | 'research-and-plan' | 'full-implementation' | 'debug-only'

interface Rule {
  readonly scope: Scope
  readonly because: string
  readonly words: RegExp
}

const RULES: readonly Rule[] = [
  {
    scope: 'research-only',
    because: 'it limits itself to research',
    words: /\b(?:(?:only|just) (?:research|analy[sz]e|explore|investigate)|(?:research|analysis)[ -]only)\b/,
  },
  {
    scope: 'research-and-plan',
    because: 'it limits itself to a plan',
    words: /\b(?:(?:only|just) plan|plan(?:ning)?[ -]only|(?:without|no) (?:code|implementation|implementing))\b/,
  },
  {
    scope: 'research-and-plan',
    because: 'it asks for a plan of a change, not for the change',
    words:
      /\b(?:plan|design|propose|outline)(?:ning)? (?:how to|for|to|the|an?) (?:\w+ ){0,2}?(?:implement|implementation|build|add|migrate|migration|refactor|refactoring)\b/,
  },
  {
    scope: 'full-implementation',
    because: 'it asks for a change',
    words:
      /\b(?:implement|build|create|add|develop|write|fix|refactor|migrate|upgrade|replace|rename|remove|ship|make|port)(?:s|ing)?\b/,
  },
  {
    scope: 'debug-only',
    because: 'it looks for a fault',
    words: /\b(?:debug|diagnose|troubleshoot|root[ -]cause|bisect|reproduce)(?:s|ing)?\b/,
  },
  {
    scope: 'research-and-plan',
    because: 'it asks for a plan',
    words: /\b(?:plan|design|architect|propose|proposal|specify|specification|roadmap|outline)(?:s|ning|ing)?\b/,
  },
  {
    scope: 'research-only',
    because: 'it asks for knowledge',
    words:
      /\b(?:research|analy[sz]e|analysis|study|explore|compare|survey|review|evaluate|investigate|understand|summari[sz]e)(?:s|ing)?\b/,
  },
]

const TERMINAL: Readonly<Record<Scope, string>> = {
  'research-only': 'research',
  'research-and-plan': 'plan',
  'full-implementation': 'complete',
  'debug-only': 'debug',
}

export interface Detected {
  readonly scope: Scope
  /** State at which the default workflow ends for this scope. */
  readonly terminal: string
  /** 1-based; 0 when no rule fitted. */
  readonly rule: number
  readonly because: string
  /** The words that decided. */
  readonly matched: string | null
}

export function detectScope(description: string): Detected {
  const lower = description.toLowerCase()
  for (const [at, { scope, because, words }] of RULES.entries()) {
    const matched = words.exec(lower)?.[0]
    if (matched !== undefined) return { scope, terminal: TERMINAL[scope], rule: at + 1, because, matched }
  }
  return {
    scope: 'full-implementation',
    terminal: TERMINAL['full-implementation'],
    rule: 0,
    because: 'no rule fits',
    matched: null,
  }
}

export const terminalOf = (scope: Scope): string => TERMINAL[scope]
