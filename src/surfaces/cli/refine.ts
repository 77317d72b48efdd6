/** What a schema cannot say about the command made from an operation. */
export interface Refinement {
  readonly examples?: readonly string[]
  /** Summaries of members. */
  readonly words?: Readonly<Record<string, string>>
  /** Members that the operation fills in by itself. */
  readonly hidden?: readonly string[]
  /** The session may be named by a word: `session end NAME`. */
  readonly sessionWord?: true
  /** Wants a whole id or an exact name. */
  readonly removes?: true
  /** For programs; not in the overview. */
  readonly internal?: true
}

const REFINEMENTS: Readonly<Record<string, Refinement>> = {
  'session.suspend': { sessionWord: true, examples: ['session suspend build-auth --reason "waiting for review"'] },
  'session.resume': { sessionWord: true, examples: ['session resume build-auth'] },
  'session.end': {
    sessionWord: true,
    removes: true,
    words: { outcome: 'how it ended: completed, failed or cancelled' },
    examples: ['session end build-auth', 'session end build-auth --outcome cancelled --reason "not needed any more"'],
  },
  'session.mark': {
    words: { name: 'what to call it', at: 'the point; now when left out' },
    examples: ['session mark draft-done', 'session mark before-lunch 2h'],
  },
  'session.unmark': { words: { name: 'the mark' }, examples: ['session unmark draft-done'] },
  'session.restore': {
    hidden: ['changes'],
    removes: true,
    words: { to: 'the point whose state comes back' },
    examples: ['session restore draft-done --dry-run', 'session restore @-3 --reason "wrong plan"'],
  },
  'session.acquire': { internal: true, hidden: ['process'], words: { ttl_ms: 'how long, in milliseconds' } },
  'session.renew': { internal: true },
  'session.release': { internal: true },
  'session.recover': { internal: true },
  'session.repair': { internal: true },
  'lock.renew': {
    words: {
      resource: 'the lock',
      token: 'what acquire printed',
      ttl_ms: 'how long from now, in milliseconds; as before when left out',
    },
    hidden: ['owner'],
    examples: ['lock renew src/api.ts 17', 'lock renew db 17 --ttl-ms 300000'],
  },
  'lock.release': {
    words: { resource: 'the lock', token: 'what acquire printed; whatever you hold of it when left out' },
    hidden: ['owner'],
    examples: ['lock release src/api.ts', 'lock release db 17'],
  },
  'lock.check': { words: { resource: 'the lock', token: 'what came with the work' }, examples: ['lock check db 17'] },
  'step.start': { internal: true },
  'step.adopt': { internal: true },
  'step.finish': { internal: true },
  'step.fail': { internal: true },
  'step.reuse': { internal: true },
  'step.gate': { internal: true },
  'step.park': {
    words: { step: 'name of the step', reason: 'what the person should know' },
    examples: ['step park lint --reason "quota"'],
  },
  'step.release': {
    words: { step: 'name of the step or gate' },
    examples: ['step release lint', 'step release plan:approval --reason "looks right"'],
  },
  'step.retry': { words: { step: 'name of the step' }, examples: ['step retry lint'] },
  'step.show': { words: { step: 'name of the step' }, examples: ['step show lint', 'step show lint --json'] },
  'workflow.fail': {
    words: { reason: 'what went wrong', class: 'transient, terminal or unknown; transient when left out' },
    examples: ['workflow fail "3 tests fail"', 'workflow fail "quota is used up" --class terminal'],
  },
  'workflow.retry': {
    words: { approve: 'a person has seen to it: the count begins anew' },
    examples: ['workflow retry', 'workflow retry --approve'],
  },
  'workflow.complete': { examples: ['workflow complete'] },
  'workflow.restart': { examples: ['workflow restart'] },
  'workflow.resume-check': { examples: ['workflow resume-check', 'workflow resume-check --json'] },
  'workflow.graph': {
    words: { format: 'text, mermaid or dot; text when left out', steps: 'with the steps and what they need' },
    examples: ['workflow graph', 'workflow graph mermaid --steps', 'workflow graph dot | dot -Tsvg'],
  },
  'workflow.detect-scope': {
    words: { description: 'what somebody asks for', explain: 'also say which rule decided' },
    examples: [
      'workflow detect-scope "only research how sign-in works"',
      'workflow detect-scope "fix the login" --explain',
    ],
  },
}

export const refinementOf = (operation: string): Refinement => REFINEMENTS[operation] ?? {}
