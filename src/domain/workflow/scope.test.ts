import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import { DEFAULT_SCOPES, DEFAULT_WORKFLOW } from './default.ts'
import { detectScope, SCOPE_RULES } from './scope.ts'

/** What is said, the scope, the rule that decides; see docs/decisions/0013. */
const CASES: readonly (readonly [text: string, scope: string, rule: string | null])[] = [
  ['only research how sign-in works', 'research-only', 'research-limit'],
  ['Research-only: where are sessions stored?', 'research-only', 'research-limit'],
  ['research retry strategies for flaky networks', 'research-only', 'research'],
  ['Research how others paginate', 'research-only', 'research'],
  ['Invoice page, no code', 'research-and-plan', 'plan-limit'],
  ['only plan the new importer', 'research-and-plan', 'plan-limit'],
  ['plan how to implement sign-in', 'research-and-plan', 'plan-of-change'],
  ['design the migration to the new store', 'research-and-plan', 'plan-of-change'],
  ['plan a búsqueda page', 'research-and-plan', 'plan'],
  ['plan "search" & filters for the shop\'s catalogue', 'research-and-plan', 'plan'],
  ['Research And Plan', 'research-and-plan', 'plan'],
  ['research caching and write an implementation plan', 'research-and-plan', 'plan'],
  ['analyze the payment code to prepare planning a refactor', 'research-and-plan', 'plan'],
  ['review the changelog', 'research-and-plan', null],
  ['look into the worker output', 'research-and-plan', null],
  ['investigate why the build is slow', 'research-and-plan', null],
  ['build the search system', 'research-and-plan', null],
  ['sign-in', 'research-and-plan', null],
  ['', 'research-and-plan', null],
  ['Revise the plan at docs/plans/007.md for the new rules', 'research-and-revise', 'revision'],
  ['update the rollout plan after the review', 'research-and-revise', 'revision'],
  ['research the new limits and revise our existing plan', 'research-and-revise', 'revision'],
  ["don't revise the plan, write another", 'research-and-plan', 'plan'],
  ['do not update the plan, make a new one', 'research-and-plan', 'plan'],
  ['implement only: the parser', 'implement-only', 'implement-limit'],
  ['write the parser without research', 'implement-only', 'implement-limit'],
  ['run the tests and fix what fails', 'test-and-debug', 'test-and-debug'],
  ['test-and-debug the importer', 'test-and-debug', 'test-and-debug'],
  ['implement docs/plans/007_search.md', 'full-implementation', 'implementation'],
  ['execute the plan at docs/plans/007.md', 'full-implementation', 'execution'],
  ['implement search and debug the index', 'full-implementation', 'implementation'],
  ['research stores, compare them, and implement the best', 'full-implementation', 'implementation'],
  ["research the 'implement' verb of the command line", 'full-implementation', 'implementation'],
  ['build a new saved filter feature', 'full-implementation', 'feature'],
  ['research and build a search feature', 'full-implementation', 'feature'],
  ['add dark mode support', 'full-implementation', 'feature'],
  ['fix the token refresh in session.ts', 'debug-only', 'fault'],
  ['debug and fix sign-in', 'debug-only', 'fault'],
  ['analyze the crash and find its root cause', 'debug-only', 'fault'],
]

test.each(CASES)('%j is %s by %s', (text, scope, name) => {
  expect(detectScope(text)).toMatchObject({ scope, name, terminal: DEFAULT_SCOPES[scope] })
})

test('S2 every rule decides at least one case, and says its number', () => {
  for (const [at, { name, any }] of SCOPE_RULES.entries()) {
    expect(CASES.map(([, , rule]) => rule)).toContain(name)
    const alone = (any[0] ?? '').replace('..', 'the')
    expect(detectScope(alone)).toMatchObject({ name, rule: at + 1, matched: alone })
  }
})

test('S1 S4 words are compared whole: no text of other words has a rule', () => {
  const word = fc.constantFrom(
    'prefix',
    'explanation',
    'planet',
    'implementation',
    'additive',
    'researcher',
    'debugger',
  )
  fc.assert(
    fc.property(fc.array(word), (words) => {
      expect(detectScope(words.join(' '))).toMatchObject({ rule: 0, scope: 'research-and-plan' })
    }),
  )
})

test('S1 any text has exactly one scope, which ends in a state of the default workflow', () => {
  const words = SCOPE_RULES.flatMap(({ any, unless = [] }) => [...any, ...unless])
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom(...words))), (parts) => {
      const { scope, terminal } = detectScope(parts.join(' '))
      expect(Object.keys(DEFAULT_WORKFLOW.states)).toContain(terminal)
      expect(DEFAULT_SCOPES[scope]).toBe(terminal)
    }),
  )
})

describe('S3 a definition with rules of its own', () => {
  const definition = {
    states: { draft: {}, print: {}, done: {} },
    scopes: { 'draft-only': 'draft' },
    scope_rules: [
      { name: 'sketch', scope: 'draft-only', any: ['sketch', 'first .. version'], unless: ['final'] },
      { name: 'all', scope: 'whole', because: 'it is to be printed', any: ['print'] },
    ],
  }

  test('has them instead of the others', async () => {
    const session = await makeWorkspace(memoryKernel({ checkpoints: false })).createSession({ name: 'rules' })
    expect(await session.run('workflow.define', { definition })).toMatchObject({ kind: 'accepted' })
    const detect = async (description: string) => {
      const answer = await session.run('workflow.detect-scope', { description, explain: true })
      return answer.kind === 'accepted' ? answer.value : answer
    }
    expect(await detect('a first rough version')).toEqual({
      scope: 'draft-only',
      terminal: 'draft',
      rule: 1,
      name: 'sketch',
      because: 'rule sketch fits',
      matched: 'first rough version',
    })
    expect(await detect('print the final sketch')).toMatchObject({ scope: 'whole', terminal: null, rule: 2 })
    expect(await detect('implement it')).toMatchObject({ rule: 0 })
    await session.run('workflow.define', { definition, scope: 'draft-only' })
    expect(session.get('$.workflow')).toMatchObject({ scope: 'draft-only', terminal: 'draft' })
  })

  test('refuses a scope that ends nowhere', async () => {
    const session = await makeWorkspace(memoryKernel({ checkpoints: false })).createSession({ name: 'rules' })
    for (const scope of ['unheard-of', 'debug-only', 'constructor'])
      expect(await session.run('workflow.define', { definition, scope })).toMatchObject({ code: 'WORKFLOW_INVALID' })
    const lost = { ...definition, scopes: { all: 'gone' } }
    expect(await session.run('workflow.define', { definition: lost })).toMatchObject({ code: 'WORKFLOW_INVALID' })
  })
})

describe('S3 a workspace with rules of its own', () => {
  const scopeRules = [{ name: 'spike', scope: 'research-only', any: ['spike'] }]
  const detect = async (settings: object, definition?: object) => {
    const session = await makeWorkspace(memoryKernel({ checkpoints: false, ...settings })).createSession({
      name: 'own',
    })
    if (definition !== undefined) await session.run('workflow.define', { definition })
    const answer = await session.run('workflow.detect-scope', { description: 'implement a spike', explain: true })
    return answer.kind === 'accepted' ? answer.value : answer.code
  }

  test('has them instead of the built-in ones', async () => {
    expect(await detect({ scopeRules })).toMatchObject({ scope: 'research-only', rule: 1, name: 'spike' })
    expect(await detect({ scopeRules: [] })).toMatchObject({ scope: 'full-implementation' })
  })

  test('those of a definition go before', async () => {
    const scope_rules = [{ name: 'all', scope: 'whole', any: ['implement'] }]
    expect(await detect({ scopeRules }, { states: { a: {}, b: {} }, scope_rules })).toMatchObject({ scope: 'whole' })
  })

  test('is told when one of them is wrong', async () => {
    expect(await detect({ scopeRules: [{ name: 'spike' }] })).toBe('WORKFLOW_INVALID')
  })
})
