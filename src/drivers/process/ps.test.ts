/* Where there is no /proc, `ps` is asked. */
import * as fs from 'node:fs'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

beforeEach(() => {
  const missing = () => {
    throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
  }
  vi.doMock('node:fs', () => ({ ...fs, readFileSync: missing, readlinkSync: missing }))
  vi.resetModules()
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.doUnmock('node:fs')
  vi.resetModules()
})

test('a process began at the same time whatever zone and language who asks has', async () => {
  const { self } = await import('./identity.ts')
  const told = ['UTC', 'Asia/Tokyo', 'America/New_York'].map((zone) => {
    vi.stubEnv('TZ', zone)
    return self().started
  })
  expect(told[0]).toMatch(/:/)
  expect(new Set(told).size).toBe(1)
})
