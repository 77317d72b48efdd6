/*
 * Who opens a link is let in.
 *
 * E1. A page that is loaded anew before its link is answered asks again, with the word that still stands in its address.
 * E2. A page that is left before that is let in when it is opened again.
 */
import { describe, expect, test } from 'vitest'
import { hasChromium, servedForAllTests, type Visit } from './rig.ts'

const on = servedForAllTests({ prepare: (place) => place.data('session', 'create', 'one') })

describe.skipIf(!hasChromium)('E a link', () => {
  test('E1 lets in a page that is loaded anew before it is answered', async () => {
    const { page, go } = await anew()
    const asked = page.waitForRequest('**/v1/login')
    // It never arrives.
    await page.route('**/v1/login', () => undefined, { times: 1 })
    await go(`/sessions${new URL(await on.rig.link()).hash}`)
    await asked
    await page.reload()
    await page.getByRole('link', { name: 'one', exact: true }).waitFor()
    expect(page.url()).toBe(`${on.rig.url}/sessions`)
  })

  test('E2 lets in a page that was left before it is answered', async () => {
    const { page, go } = await anew()
    await page.route('**/v1/login', (route) => {
      on.rig.pause()
      return route.continue()
    })
    const asked = page.waitForRequest('**/v1/login')
    await go(`/sessions${new URL(await on.rig.link()).hash}`)
    await asked
    await page.goto('about:blank')
    // Until nothing of it is left in the browser.
    await page.waitForTimeout(500)
    on.rig.resume()
    await expect.poll(() => page.context().cookies()).toHaveLength(1)
    await go('/sessions')
    await page.getByRole('link', { name: 'one', exact: true }).waitFor()
  })
})

/** One who was not let in yet. */
async function anew(): Promise<Visit> {
  await on.visit.page.unrouteAll()
  await on.visit.page.context().clearCookies()
  return on.visit
}
