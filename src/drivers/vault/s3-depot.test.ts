import { afterEach, expect, test, vi } from 'vitest'
import { s3Depot } from './s3-depot.ts'

const KEYS = { AWS_ACCESS_KEY_ID: 'tester', AWS_SECRET_ACCESS_KEY: 'a secret of tests' }

afterEach(() => void vi.unstubAllGlobals())

/** What is asked of whom. */
async function asked(url: string, env: Readonly<Record<string, string>>): Promise<Request> {
  const fetch = vi.fn<typeof globalThis.fetch>(async () => new Response('', { status: 404 }))
  vi.stubGlobal('fetch', fetch)
  const depot = await s3Depot(url, { ...KEYS, ...env })
  await depot.get('index/x')
  return fetch.mock.calls[0]?.[0] as Request
}

test('what the address leaves out is said by the environment', async () => {
  const env = { AWS_REGION: 'eu-west-1', AWS_ENDPOINT_URL: 'https://s3.example.org', AWS_SESSION_TOKEN: 'token' }
  const { url, headers } = await asked('s3://bucket/x', env)
  expect(url).toBe('https://s3.example.org/bucket/x/index/x')
  expect(headers.get('authorization')).toContain('/eu-west-1/s3/')
  expect(headers.get('x-amz-security-token')).toBe('token')
})

test('an empty variable is none', async () => {
  const { url, headers } = await asked('s3://bucket/x', { AWS_REGION: '', AWS_ENDPOINT_URL: '', AWS_SESSION_TOKEN: '' })
  expect(url).toBe('https://s3.us-east-1.amazonaws.com/bucket/x/index/x')
  expect(headers.get('authorization')).toContain('/us-east-1/s3/')
  expect(headers.has('x-amz-security-token')).toBe(false)
  await expect(s3Depot('s3://bucket/x', { ...KEYS, AWS_ACCESS_KEY_ID: '' })).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
  })
})

test('A2 what passes is asked again, five times in all', async () => {
  const answers = [409, 429, 503, 200]
  const fetch = vi.fn<typeof globalThis.fetch>(async () => new Response('kept', { status: answers.shift() ?? 500 }))
  vi.stubGlobal('fetch', fetch)
  const depot = await s3Depot('s3://bucket/x', KEYS)
  expect((await depot.get('index/x'))?.toString()).toBe('kept')
  await expect(depot.get('index/x')).rejects.toThrow('cannot read at s3://bucket/x: 500')
  expect(fetch).toHaveBeenCalledTimes(4 + 5)
})
