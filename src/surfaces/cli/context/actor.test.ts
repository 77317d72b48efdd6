import { describe, expect, test } from 'vitest'
import { actorIn, agentIn, agentName, personIn, type Environment } from './actor.ts'

const CLAUDE = { CLAUDE_CODE_SESSION_ID: '0f8fad5b-d9cb-469f-a165-70867728950e' }
const CODEX = { CODEX_THREAD_ID: '019d1be2-5752-7553-80c4-66e6dbddb174' }

describe('who asks', () => {
  test.each<[string, Environment, string]>([
    ['whose account it is', {}, 'human:ana'],
    ['the person that is named', { STEADFOLD_ACTOR: 'human:bo' }, 'human:bo'],
    ['nobody by an empty name', { STEADFOLD_ACTOR: '' }, 'human:ana'],
    ['W1 the agent that is named', { STEADFOLD_ACTOR: 'agent:lead' }, 'agent:lead'],
    ['W1 the tool that is named', { STEADFOLD_ACTOR: 'tool:ci' }, 'tool:ci'],
    ['W1 the agent that is named, in another', { STEADFOLD_ACTOR: 'agent:lead', ...CLAUDE }, 'agent:lead'],
    ['W1 Claude Code', CLAUDE, 'agent:claude-7728950e'],
    ['W1 Codex, by the end of an id that begins with the time', CODEX, 'agent:codex-dbddb174'],
    [
      'W1 Codex, in a subagent by the session that its hook names',
      { CODEX_SESSION_ID: CODEX.CODEX_THREAD_ID, CODEX_THREAD_ID: '019d1be3-0000-7000-8000-0000cafe0001' },
      'agent:codex-dbddb174',
    ],
    ['W1 Codex, whose session is named emptily', { CODEX_SESSION_ID: '', ...CODEX }, 'agent:codex-dbddb174'],
    ['W1 Gemini CLI, which tells no id', { GEMINI_CLI: '1' }, 'agent:gemini'],
    ['W1 opencode, which tells no id', { OPENCODE: '1' }, 'agent:opencode'],
    ['W2 no person by silence', { STEADFOLD_ACTOR: 'human:bo', ...CLAUDE }, 'agent:claude-7728950e'],
    // Set in the terminals of editors, too, where people work.
    [
      'a person where only an editor speaks of an agent',
      { CLAUDECODE: '1', CODEX_HOME: '/x', CODEX_SESSION_ID: 'x' },
      'human:ana',
    ],
  ])('%s', (_, env, actor) => {
    expect(actorIn({ USER: 'ana', ...env })).toBe(actor)
  })

  test('pages are for people, whoever starts them', () => {
    expect(personIn({ USER: 'ana', ...CLAUDE, STEADFOLD_ACTOR: 'agent:lead' })).toBe('human:ana')
    expect(personIn({ USER: 'ana', ...CLAUDE, STEADFOLD_ACTOR: 'human:bo' })).toBe('human:bo')
    expect(agentIn({ USER: 'ana' })).toBeUndefined()
  })

  test('a name that is none is an error that names the variable', () => {
    expect(() => actorIn({ STEADFOLD_ACTOR: 'ana' })).toThrow(
      'STEADFOLD_ACTOR is human:NAME, agent:NAME or tool:NAME, not "ana"',
    )
  })

  test('W1 an id that has nothing to take is left out', () => {
    expect(agentName('claude', '../..')).toBe('agent:claude')
    expect(agentName('gemini', 'a-1')).toBe('agent:gemini')
  })
})
