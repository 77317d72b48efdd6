/*
 * What a screen reader hears while a team works.
 *
 * H1. A page that is only looked at says nothing: neither each commit nor each second is news.
 * H2. Whoever goes elsewhere by a key hears where they are.
 */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hasChromium, sampleForAllTests } from './rig.ts'

const on = sampleForAllTests()

/** From now on, keeps what changes in what is said aloud; the nearest of those around it decides. */
const listen = (page: Page): Promise<unknown> =>
  page.evaluate(`{
    window.heard = []
    const LIVE = '[aria-live], [role=status], [role=alert], [role=log], output'
    const around = (node) => (node instanceof Element ? node : node.parentElement)?.closest(LIVE)
    new MutationObserver((records) => {
      const said = new Set(records.map(({ target }) => around(target)))
      for (const each of said) if (each?.textContent && each.ariaLive !== 'off') window.heard.push(each.textContent)
    }).observe(document.body, { subtree: true, childList: true, characterData: true })
  }`)

const heard = (page: Page): Promise<readonly string[]> => page.evaluate('window.heard')

describe.skipIf(!hasChromium)('H what is heard', () => {
  test('H1 commits of others are shown and not said, one after the other', async () => {
    const { page, go } = on.visit
    await go(`/session/${on.session}/locks`)
    await page.getByText('writing the hash').waitFor()
    await listen(page)
    for (const name of ['one', 'two']) {
      const { seq } = on.rig.place.data<{ readonly seq: number }>('session', 'mark', name, '--session', on.session)
      await page.locator('.slider output').getByText(`live, at ${seq}`).waitFor()
    }
    expect(await heard(page)).toEqual([])
  })

  test('H2 a page that a key leads to says its name', async () => {
    const { page, go } = on.visit
    await go('/sessions')
    await page.getByText('build-auth-sketch').waitFor()
    await listen(page)
    await page.keyboard.type('gh')
    await expect.poll(() => heard(page)).toEqual(['Health · Steadfold'])
  })

  test.each([
    ['/nowhere', 'There is no such page'],
    ['/session/nobody/tasks', 'There is no such session'],
  ])('H2 what leads nowhere, such as %s, has a name and a heading', async (address, name) => {
    const { page, go } = on.visit
    await go('/health')
    await page.getByRole('heading', { name: 'Health' }).waitFor()
    await page.evaluate(`{
      const link = Object.assign(document.createElement('a'), { href: '${address}' })
      document.querySelector('main').append(link)
      link.click()
    }`)
    await page.getByRole('heading', { level: 1, name }).waitFor({ timeout: 5000 })
    await expect.poll(() => page.title()).toBe(`${name} · Steadfold`)
  })

  test('a handoff says who gives work to whom', async () => {
    const { page, go } = on.visit
    await go(`/session/${on.session}/locks`)
    await page.getByRole('heading', { name: 'ben to cleo completed', exact: true }).waitFor()
  })

  test('H1 that the page is cut off is said once, not each second', async () => {
    const { page, go } = on.visit
    await go('/health')
    await page.locator('.connection').filter({ hasText: 'live' }).waitFor()
    await listen(page)
    const { port } = new URL(on.rig.url)
    await on.rig.kill()
    await page.locator('.connection').filter({ hasText: 'cut off 3 s ago' }).waitFor()
    expect(await heard(page)).toEqual([expect.stringMatching(/^cut off . s ago$/)])
    await on.rig.serve(Number(port))
    await page.locator('.connection').filter({ hasText: 'live' }).waitFor()
  })
})
