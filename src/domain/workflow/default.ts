import type { Definition, StateDefinition } from './definition.ts'

const state = (...next: readonly string[]): StateDefinition => ({
  mode: 'parallel',
  min_success: 1,
  approval: false,
  steps: {},
  next,
})

/** Where each scope ends, in workflows that do not say it themselves. */
export const DEFAULT_SCOPES: Readonly<Record<string, string>> = {
  'research-only': 'research',
  'research-and-plan': 'plan',
  'research-and-revise': 'plan',
  'implement-only': 'implement',
  'full-implementation': 'complete',
  'test-and-debug': 'complete',
  'debug-only': 'debug',
}

/** What holds until something else is defined: eight states from an idea to its documentation. */
export const DEFAULT_WORKFLOW: Definition = {
  name: 'default',
  goal: null,
  initial: 'initialize',
  terminal: 'complete',
  states: {
    initialize: state('research', 'implement'),
    research: state('plan', 'complete'),
    plan: state('implement', 'complete'),
    implement: state('test'),
    test: state('debug', 'document'),
    debug: state('test', 'complete'),
    document: state('complete'),
    complete: state(),
  },
}
