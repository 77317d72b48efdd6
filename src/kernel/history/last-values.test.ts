import { expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import { historyData } from './blame.ts'
import { lastValues } from './last-values.ts'

async function begin() {
  const kernel = memoryKernel({ checkpoints: false })
  const session = await makeWorkspace(kernel).createSession({ name: 'test' })
  const set = (path: string, value: unknown) => session.run('state.set', { path, value })
  const last = (path: string, count: number) => lastValues(kernel, session.id, { path, until: session.seq, count })
  const all = (path: string) => historyData(kernel, session.id, path, session.seq)
  return { session, set, last, all }
}

test('the last values are the end of all there were, whatever they are', async () => {
  const { set, session, last, all } = await begin()
  for (const value of [1, { a: [1] }, { a: [1, 2] }, 'text', null]) await set('$.data.it', value)
  await session.run('state.delete', { path: '$.data.it' })
  await set('$.data.it', { a: [3] })
  await set('$.data.it.a', [4])
  for (const path of ['$.data.it', '$.data.it.a', '$.data', '$.data.other']) {
    const whole = await all(path)
    for (const count of [0, 1, 3, 100])
      expect(await last(path, count)).toEqual({
        values: whole.slice(Math.max(0, whole.length - count)),
        earlier: Math.max(0, whole.length - count),
      })
  }
})

test('all values of a large place are more than can be told at once; the last of them can be', async () => {
  const { set, last, all } = await begin()
  const half = 'x'.repeat(500_000)
  await set('$.data.large', { half, more: half })
  for (let i = 0; i < 70; i++) await set('$.data.large.n', i)
  await expect(all('$.data.large')).rejects.toMatchObject({ code: 'VALUE_TOO_LARGE' })
  const { values, earlier } = await last('$.data.large', 100)
  expect(values.length + earlier).toBe(71)
  expect(values.at(-1)?.value).toMatchObject({ n: 69 })
  expect(values.length).toBeGreaterThan(50)
  expect(earlier).toBeGreaterThan(0)
})

test('so it is where each of them is one large text', async () => {
  const { set, last } = await begin()
  const large = 'x'.repeat(4_000_000)
  for (let i = 0; i < 20; i++) await set('$.data.text', `${large}${i}`)
  const { values, earlier } = await last('$.data.text', 100)
  expect(values.length + earlier).toBe(20)
  expect(values.at(-1)?.value).toBe(`${large}19`)
  expect(values.length).toBe(16)
})
