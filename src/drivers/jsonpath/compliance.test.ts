import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import { formatPath } from '../../kernel/path/path.ts'
import { queryEngine } from './jsonpath.ts'

interface Case {
  readonly name: string
  readonly selector: string
  readonly invalid_selector?: boolean
  readonly document?: unknown
  readonly result?: unknown
  readonly results?: readonly unknown[]
  readonly result_paths?: readonly string[]
  readonly results_paths?: readonly (readonly string[])[]
}

/** See test/jsonpath-compliance-suite/README.md. */
const file = join(import.meta.dirname, '../../../test/jsonpath-compliance-suite/cts.json')
const cases = (JSON.parse(readFileSync(file, 'utf8')) as { tests: readonly Case[] }).tests
const valid = cases.filter(({ invalid_selector: invalid }) => invalid !== true)
const invalid = cases.filter(({ invalid_selector: flag }) => flag === true)

/** Normalized as the suite writes paths: every key in brackets. */
const normalized = (keys: readonly (string | number)[]): string =>
  `$${keys
    .map((key) =>
      formatPath([key])
        .replace(/^\$\.(.*)$/s, "['$1']")
        .replace(/^\$/, ''),
    )
    .join('')}`

test('Q1: the RFC 9535 compliance test suite has its 703 cases', () => {
  expect([cases.length, new Set(cases.map(({ name }) => name)).size]).toEqual([703, 703])
})

describe('Q1: the engine', () => {
  test.each(valid.map((one) => [one.name, one] as const))('selects: %s', (_, one) => {
    const nodes = queryEngine.compile(one.selector)(one.document)
    expect(one.results ?? [one.result]).toContainEqual(nodes.map(({ value }) => value))
    expect(one.results_paths ?? [one.result_paths]).toContainEqual(nodes.map(({ path }) => normalized(path)))
  })
  test.each(invalid.map((one) => [one.name, one] as const))('refuses: %s', (_, one) => {
    expect(() => queryEngine.compile(one.selector)).toThrow(expect.objectContaining({ code: 'QUERY_INVALID' }))
  })
})

/** A session's root is its own, so the document of a case lies in it. One `$` of the suite is no root: it ends a text. */
const placed = (selector: string): string => selector.replaceAll(/\$(?!')/g, () => '$.data.document')

describe('Q1: a session', async () => {
  const session = await makeWorkspace(memoryKernel()).createSession({ name: 'suite' })

  test.each(valid.map((one) => [one.name, one] as const))('answers a query: %s', async (_, one) => {
    await session.run('state.set', { path: 'data.document', value: one.document })
    expect(one.results ?? [one.result]).toContainEqual(await session.query(placed(one.selector)))
  })
  test.each(invalid.map((one) => [one.name, one] as const))('refuses a query: %s', async (_, one) => {
    await expect(session.query(one.selector)).rejects.toMatchObject({ code: 'QUERY_INVALID' })
  })
})
