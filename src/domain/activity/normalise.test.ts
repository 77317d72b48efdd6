import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bounded } from './bounded.ts'
import { AGENT_CLIS } from './events.ts'
import { normalise } from './normalise.ts'

const told = (payload: string) => normalise('claude', payload)

describe('Y2 what is not understood', () => {
  test.each([
    ['', 'no-json'],
    ['half a l', 'no-json'],
    ['\0\0\0', 'no-json'],
    ['[1,2]', 'no-json'],
    ['null', 'no-json'],
    ['{"session_id":"s","hook_event_name":"Tomorrow"}', 'unknown-event'],
    ['{"session_id":"s","hook_event_name":"toString"}', 'unknown-event'],
    ['{"session_id":"s"}', 'unknown-event'],
    ['{"hook_event_name":"Stop"}', 'no-session'],
    ['{"hook_event_name":"Stop","session_id":"../../etc/passwd"}', 'no-session'],
    ['{"hook_event_name":"Stop","session_id":"a/b"}', 'no-session'],
    [`{"hook_event_name":"Stop","session_id":"${'a'.repeat(200)}"}`, 'no-session'],
    ['{"hook_event_name":"Stop","session_id":7}', 'no-session'],
  ])('Y2 %j is kept as agent.raw', (payload, why) => {
    expect(told(payload)).toMatchObject({ type: 'agent.raw', data: { why, size: payload.length } })
  })

  test('a payload that was cut is known by its first members', () => {
    const cut = `{"session_id":"s-1","hook_event_name":"PostToolUse","tool_name":"Read","tool_response":"${'x'.repeat(9000)}`
    expect(told(cut)).toMatchObject({
      type: 'activity.recorded',
      data: { run: 's-1', kind: 'tool-finished', tool: 'Read', size: cut.length },
    })
  })

  test('what stands inside a text is no member', () => {
    const nested = JSON.stringify({ tool_response: '"session_id":"s-1","hook_event_name":"Stop"' }).slice(0, -2)
    expect(told(nested)).toMatchObject({ type: 'agent.raw' })
  })
})

describe('Y3 bounds of a payload', () => {
  test('Y3 whatever comes in, what is kept is small, JSON, and well-formed', () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc.jsonValue().map((value) => JSON.stringify(value)),
    )
    fc.assert(
      fc.property(fc.constantFrom(...AGENT_CLIS), anything, (agent, payload) => {
        const kept = JSON.stringify(normalise(agent, payload))
        expect(kept.length).toBeLessThan(100_000)
        expect(kept).not.toMatch(/\\ud[89a-f]/i)
      }),
    )
  })

  test('Y3 50 MB, a million members and a depth of 5,000 are cut, and say so', () => {
    const large = { text: 'x'.repeat(50_000_000), list: Array.from({ length: 1_000_000 }, () => 1) }
    const kept = JSON.stringify(bounded(large))
    expect(kept.length).toBeLessThan(20_000)
    expect(kept).toContain('(49998000 more characters)')
    expect(kept).toContain('(999950 more)')
    const deep = `${'[1,'.repeat(5000)}1${']'.repeat(5000)}`
    expect(JSON.stringify(bounded(JSON.parse(deep))).length).toBeLessThan(200)
  })

  test('Y3 forbidden keys are not kept', () => {
    const kept = bounded(JSON.parse('{"__proto__":{"a":1},"constructor":{},"prototype":1,"b":2}'))
    expect(Object.keys(kept as object)).toEqual(['b'])
  })
})
