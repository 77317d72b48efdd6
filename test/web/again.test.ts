/* Q6. What could not be read although the page is connected is there as soon as it can be read, without anybody's commit. */
import { expect, test } from 'vitest'
import { hasChromium, sampleForAllTests } from './rig.ts'

const on = sampleForAllTests()

test.skipIf(!hasChromium).each([
  ['a request that did not arrive', 'abort'],
  ['a store that is away for a while', 'answer'],
])('Q6 %s', async (_name, how) => {
  const { page, go } = on.visit
  const refusal = { error: { code: 'STORE_UNAVAILABLE', message: 'the store is away' } }
  await page.route(
    '**/chat.show',
    (route) => (how === 'abort' ? route.abort() : route.fulfill({ status: 503, json: refusal })),
    { times: 1 },
  )
  await go(`/session/${on.session}/conversation`)
  const failure = page.locator('.tab .failure')
  await failure.waitFor()
  expect(await page.locator('.connection').textContent()).toBe('live')
  await page.locator('.talk li').first().waitFor({ timeout: 10_000 })
  expect(await failure.count()).toBe(0)
})

test.skipIf(!hasChromium)('Q6 what is refused is not asked for again', async () => {
  const { page, go } = on.visit
  let asked = 0
  const refusal = { error: { code: 'INPUT_INVALID', message: 'not like this' } }
  await page.route('**/chat.show', (route) => {
    asked++
    return route.fulfill({ status: 400, json: refusal })
  })
  await go(`/session/${on.session}/conversation`)
  await page.locator('.tab .failure').waitFor()
  await page.waitForTimeout(6000)
  expect(asked).toBe(1)
})
