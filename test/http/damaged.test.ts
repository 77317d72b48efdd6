/* A damaged log over HTTP and MCP: what is proven is read, and what is missing is not said to be nowhere. */
import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { plainEnv, PROGRAM } from '../cli/binary.ts'
import { Served } from './served.ts'

let served: Served
const get = async (target: string) => {
  const { status, text } = await served.ask('GET', `/v1/sessions/build${target}`)
  return { status, ...(JSON.parse(text) as Readonly<Record<string, unknown>>) }
}

beforeAll(async () => {
  served = await Served.open()
  const session = await served.workspace.createSession({ name: 'build' })
  for (const value of ['one', 'two', 'three']) await session.state.set({ path: `data.${value}`, value })
  await session.close()
  await served.stop()
  const folder = path.join(served.dir, '.steadfold', 'sessions', session.id, 'log')
  const file = path.join(folder, fs.readdirSync(folder)[0] ?? '')
  const lines = fs.readFileSync(file, 'utf8').split('\n')
  lines[2] = lines[2]?.replace('two', 'tow') ?? ''
  fs.writeFileSync(file, lines.join('\n'))
  await served.start()
  await (await served.workspace.createSession({ name: 'whole' })).close()
})
afterAll(() => served.remove())

test('the log is read up to the damage, from either end and in pages', async () => {
  const seqs = ({ data }: Readonly<Record<string, unknown>>) => (data as { seq: number }[]).map(({ seq }) => seq)
  expect(seqs(await get('/log'))).toEqual([1, 2])
  expect(seqs(await get('/log?order=desc'))).toEqual([2, 1])
  expect(await get('/log?cursor=2')).toMatchObject({ data: [], next: null })
})

test('what is not found may be behind the damage', async () => {
  expect(await get('/state?path=data.one')).toMatchObject({ status: 200, data: { value: 'one' } })
  for (const target of ['/state?path=data.three', '/blame?path=data.three', '/state?at=4'])
    expect(await get(target), target).toMatchObject({
      status: 500,
      error: { code: 'LOG_CORRUPT', details: { seq: 3 } },
    })
})

test('so it is with the resources and tools of agents', () => {
  const clientInfo = { name: 'pipe', version: '1' }
  const input = [
    { id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } },
    { id: 2, method: 'resources/read', params: { uri: 'steadfold://sessions/build/events' } },
    { id: 4, method: 'tools/call', params: { name: 'session_show', arguments: {} } },
    { id: 3, method: 'tools/call', params: { name: 'state_get', arguments: { session: 'build', at: '4' } } },
  ].map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const out = execFileSync(process.execPath, [PROGRAM, 'mcp', '--dir', served.dir], {
    input: input.join(''),
    env: plainEnv(),
    encoding: 'utf8',
  })
  const said = (id: number) => out.split('\n').find((line) => line.includes(`"id":${id}`))
  expect(said(2)).toContain('data.one')
  expect(said(3)).toContain('LOG_CORRUPT')
  // It is as active as it was: what names no session may mean it.
  expect(said(4)).toContain('SESSION_AMBIGUOUS')
})
