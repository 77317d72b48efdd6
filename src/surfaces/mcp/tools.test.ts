import { describe, expect, test } from 'vitest'
import { operations } from '../../compose/operations.ts'
import { membersOf } from '../../kernel/json/members.ts'
import { sharedFor } from './arguments.ts'
import { CHOSEN, VIEWS } from './chosen.ts'
import { toolsOf } from './tools.ts'

const tools = await toolsOf(operations)

describe('the chosen tools', () => {
  test('are at most twenty, and no two have the same name', () => {
    expect(tools.length).toBeLessThanOrEqual(20)
    expect(new Set(tools.map(({ described }) => described.name)).size).toBe(tools.length)
  })

  test('an argument that every tool has may mean something else of one: the inbox is of all sessions', () => {
    const { properties } = tools.find(({ described }) => described.name === 'inbox_list')?.described.inputSchema ?? {}
    expect(properties).toEqual({ session: { type: 'string', description: 'of this one alone; of all when left out' } })
  })

  test.each(CHOSEN.map(({ operation }) => operation))('%s exists, in the catalogue or as a view', async (name) => {
    const isView = (VIEWS as readonly string[]).includes(name)
    expect((await operations.get(name)) !== undefined).toBe(!isView)
  })

  test.each(tools.map((tool) => [tool.described.name, tool] as const))(
    '%s says what it is',
    (name, { described, use }) => {
      expect(name).toMatch(/^[a-z]+_[a-z]+$/)
      expect(described.description).not.toBe('')
      expect(described.outputSchema).toMatchObject({ type: 'object' })
      expect(described.annotations).toEqual({
        readOnlyHint: use !== 'write',
        destructiveHint: name === 'state_set',
        idempotentHint: expect.any(Boolean),
        openWorldHint: false,
      })
    },
  )

  test.each(tools.map((tool) => [tool.described.name, tool] as const))(
    '%s is annotated as its operation is',
    (_name, tool) => {
      expect(tool.use === 'write').toBe(tool.operation?.kind === 'write')
    },
  )

  test('no operation has a field of the names that every tool takes', () => {
    for (const { use, fields } of tools) expect(fields.filter((field) => sharedFor(use).includes(field))).toEqual([])
  })

  test('words about fields are about fields that there are', () => {
    for (const { operation, fields = {} } of CHOSEN) {
      const tool = tools.find(({ described }) => described.name === operation.replace('.', '_'))
      const { properties = {} } = tool?.described.inputSchema ?? {}
      expect(Object.keys(fields).filter((field) => !Object.hasOwn(properties, field))).toEqual([])
    }
  })

  test('no pattern is in a schema: what makes of it something else than we do refuses all tools, or a good name', () => {
    const patterns: string[] = []
    JSON.stringify(
      tools.map(({ described }) => described),
      (key, value: unknown) => (key === 'pattern' && typeof value === 'string' ? patterns.push(value) : value),
    )
    expect(patterns).toEqual([])
  })

  test('every argument says its type, where any JSON may stand all of them: what has none is sent as a string', () => {
    const types = tools.flatMap(({ described: { name, inputSchema } }) =>
      Object.entries(inputSchema.properties ?? {}).map(([field, schema]) => {
        const { type, anyOf, enum: words } = membersOf(schema)
        return [`${name} ${field}`, typeof (type ?? words), Array.isArray(anyOf) ? anyOf.length : 0] as const
      }),
    )
    const open = types.filter(([, type]) => type === 'undefined')
    expect(open.filter(([, , forms]) => forms < 2)).toEqual([])
    expect(open).toContainEqual(['state_set value', 'undefined', 6])
  })

  test('writes take expected_seq and an idempotency key, lists take a cursor', () => {
    for (const { use, described } of tools) {
      const names = Object.keys(described.inputSchema.properties ?? {})
      expect(names.includes('expected_seq') && names.includes('idempotency_key')).toBe(use === 'write')
      expect(names.includes('cursor')).toBe(use === 'list')
    }
  })

  test('all of them fit in 27,000 characters, which a model reads each time', () => {
    expect(JSON.stringify(tools.map(({ described }) => described)).length).toBeLessThan(27_000)
  })
})
