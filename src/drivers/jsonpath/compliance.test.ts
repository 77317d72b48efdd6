import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { formatPath } from '../../kernel/path.ts'
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

// The suite of jsonpath-standard/jsonpath-compliance-test-suite is not part of this repository.
const file = process.env['JSONPATH_COMPLIANCE_SUITE']
const cases = file === undefined ? [] : (JSON.parse(readFileSync(file, 'utf8')) as { tests: readonly Case[] }).tests
const reason = file === undefined ? ' (skipped: JSONPATH_COMPLIANCE_SUITE does not name its cts.json)' : ''

/** Normalized as the suite writes paths: every key in brackets. */
const normalized = (keys: readonly (string | number)[]): string =>
  `$${keys
    .map((key) =>
      formatPath([key])
        .replace(/^\$\.(.*)$/s, "['$1']")
        .replace(/^\$/, ''),
    )
    .join('')}`

describe.skipIf(file === undefined)(`Q1: the RFC 9535 compliance test suite${reason}`, () => {
  test('has all its cases', () => {
    expect(cases.length).toBeGreaterThanOrEqual(703)
  })
  const valid = cases.filter(({ invalid_selector: invalid }) => invalid !== true)
  const invalid = cases.filter(({ invalid_selector: flag }) => flag === true)

  test.each(valid.map((one) => [one.name, one] as const))('selects: %s', (_, one) => {
    const nodes = queryEngine.compile(one.selector)(one.document)
    expect(one.results ?? [one.result]).toContainEqual(nodes.map(({ value }) => value))
    expect(one.results_paths ?? [one.result_paths]).toContainEqual(nodes.map(({ path }) => normalized(path)))
  })
  test.each(invalid.map((one) => [one.name, one] as const))('refuses: %s', (_, one) => {
    expect(() => queryEngine.compile(one.selector)).toThrow(expect.objectContaining({ code: 'QUERY_INVALID' }))
  })
})
