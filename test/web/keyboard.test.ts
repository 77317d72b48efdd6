/* K. Everything is done without a mouse. */
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { hasChromium, NARROW, sampleForAllTests, WIDE } from './rig.ts'

const on = sampleForAllTests()
beforeEach(async () => {
  if (!hasChromium) return
  await on.visit.go('/')
  // What is typed at a page before it is drawn is lost.
  await on.visit.page.locator('#main').waitFor()
})

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).first()

/** Goes on with Tab until `name` has the focus; behind the last element nothing has it, and it begins anew. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let i = 0; i < 80; i++) {
    await page.keyboard.press('Tab')
    const [text = ''] = await page
      .locator(':focus')
      .evaluateAll((all) => all.map((each) => each.getAttribute('aria-label') ?? each.textContent))
    if (name.test(text)) return
  }
  throw new Error(`Tab does not come to ${String(name)}`)
}

/** Name and text of the element that has the focus. */
const focused = (page: Page) =>
  page.evaluate<string>('`${document.activeElement.tagName} ${document.activeElement.textContent}`')

describe.skipIf(!hasChromium)('K the keyboard', () => {
  test('K two keys go to a page, and ? shows all of them', async () => {
    const { page } = on.visit
    await page.keyboard.type('gh')
    await heading(page, 'Health').waitFor()
    await page.keyboard.press('?')
    const map = page.getByRole('dialog')
    await map.waitFor()
    expect(await map.textContent()).toContain('Recover')
    await page.keyboard.press('Escape')
    await expect.poll(() => map.count()).toBe(0)
  })

  test('K Enter in the field for a name marks a commit, and forks', async () => {
    const { page, go } = on.visit
    await go(`/session/${on.session}/forks`)
    await page.getByLabel('Name of the mark').fill('entered')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'entered', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Fork now' }).press('Enter')
    await page.getByLabel('Name of the new session').fill('entered')
    await page.keyboard.press('Enter')
    await heading(page, 'entered').waitFor()
  })

  test('K who speaks to the browser turns off the keys that are letters, for good', async () => {
    const { page, go } = on.visit
    await page.keyboard.press('?')
    await page.getByRole('button', { name: 'Keys without Ctrl on' }).click()
    await page.keyboard.press('Escape')
    await go('/sessions')
    await page.getByText('build-auth-sketch').waitFor()
    await page.keyboard.type('gh?')
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Go to or do' }).waitFor()
    expect(await heading(page, 'Health').count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Keyboard' }).click()
    await page.getByRole('button', { name: 'Keys without Ctrl off' }).click()
    await page.keyboard.press('Escape')
    await page.keyboard.type('gh')
    await heading(page, 'Health').waitFor()
  })

  test('K the palette finds a session by a few letters', async () => {
    const { page } = on.visit
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.type('build-auth-sk')
    await page.getByRole('option', { name: /build-auth-sketch/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'build-auth-sketch', level: 1 }).waitFor()
  })

  test('K the first Tab leads past the navigation', async () => {
    const { page } = on.visit
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await page.locator(':focus').getAttribute('id')).toBe('main')
  })

  test('K a card opens with Enter, closes with Escape, and has the focus again', async () => {
    const { page, go } = on.visit
    await go(`/session/${on.session}/tasks`)
    await page.getByRole('list', { name: 'Tasks by status' }).waitFor()
    await tabTo(page, /Try it with a browser/)
    await page.keyboard.press('Enter')
    await page.getByText('in the end task-hash').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    expect(await page.locator(':focus').textContent()).toContain('Try it with a browser')
  })

  test('K arrows move the point that is viewed, and nothing else', async () => {
    const { page, go } = on.visit
    await go(`/session/${on.session}/tasks`)
    await page.getByRole('slider', { name: 'Point in time' }).focus()
    await page.keyboard.press('Home')
    await page.getByText('No tasks yet').waitFor()
    await page.getByRole('button', { name: 'back to live' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('8 tasks').waitFor()
    expect(await focused(page)).toMatch(/^INPUT/)
  })

  test('K the keys of a page work where the slider has the focus, too', async () => {
    const { page, go } = on.visit
    await go(`/session/${on.session}/tasks`)
    const slider = page.getByRole('slider', { name: 'Point in time' })
    await slider.focus()
    await page.keyboard.press('Home')
    await page.getByText('No tasks yet').waitFor()
    await page.keyboard.press('L')
    await page.getByText('8 tasks').waitFor()
    await slider.focus()
    await page.keyboard.type('tl')
    await page.waitForURL('**/log')
  })

  test('K a lock is broken by typing its name', async () => {
    const { page, go } = on.visit
    await go(`/session/${on.session}/locks`)
    await page.getByRole('heading', { name: 'Locks', exact: true }).waitFor()
    await page.getByText('writing the hash').waitFor()
    const row = page.getByRole('row', { name: /writing the hash/ })
    await row.getByRole('button', { name: 'Break' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.type('src/auth')
    await page.keyboard.press('Enter')
    expect(await page.getByRole('dialog').count()).toBe(1)
    await page.keyboard.type('/hash.ts')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByRole('row', { name: /agent:cleo.*review/ }).textContent()).toContain('held')
    expect(await focused(page)).toMatch(/^TR /)
  })

  test('K a lost session is recovered by typing its name', async () => {
    const { page } = on.visit
    await page.keyboard.type('gr')
    await page.waitForURL('**/recover')
    await page.getByText('its process is not known').waitFor()
    await tabTo(page, /^Recover build-auth-docs/)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.type('build-auth-docs')
    await page.keyboard.press('Enter')
    await page.getByText('its process is not known').waitFor({ state: 'detached' })
    expect(on.rig.place.run('recover', '--dry-run').out).not.toContain('build-auth-docs')
    expect(await focused(page)).toMatch(/^(H2|MAIN)/)
  })

  test('K where a need is answered the next one has the focus, and the last leaves it to their heading', async () => {
    const { page } = on.visit
    // What is asked in words is answered in words (W of asked.test.ts).
    const needs = page.locator('.need').filter({ has: page.locator('.action'), hasNot: page.locator('textarea') })
    await needs.first().waitFor()
    for (let left = await needs.count(); left > 0; left--) {
      await needs.first().locator('.action button').first().focus()
      await page.keyboard.press('Enter')
      await expect.poll(() => needs.count()).toBe(left - 1)
      await expect.poll(() => focused(page)).toMatch(/^(LI|H2) /)
    }
  })

  test.each([
    ['workflow', { width: 1280, height: 500 }],
    ['log', { width: 1280, height: 500 }],
    ['tasks', NARROW],
    ['tasks', { width: 320, height: 256 }],
  ])('K on the way back through %s, in %o, nothing that has the focus lies under what is pinned', async (tab, size) => {
    const { page, go } = on.visit
    await page.setViewportSize(size)
    await go(`/session/${on.session}/${tab}`)
    await page.locator('.count').first().waitFor()
    await page.locator('main :is(article, .state, tbody a, tbody button)').last().waitFor()
    const hidden: string[] = []
    await page.keyboard.press('Shift+Tab')
    for (let i = 0; i < 60 && !(await focused(page)).startsWith('BODY'); i++) {
      hidden.push(...(await page.evaluate<readonly string[]>(COVERED)))
      await page.keyboard.press('Shift+Tab')
    }
    await page.setViewportSize(WIDE)
    expect(hidden).toEqual([])
  })

  test('K the page stands still where the focus goes along what is pinned', async () => {
    const { page, go } = on.visit
    await page.setViewportSize({ width: 1280, height: 300 })
    await go(`/session/${on.session}/tasks`)
    await page.locator('main article').last().waitFor()
    await page.evaluate('scrollTo(0, 200)')
    await page.locator('nav a').first().focus()
    for (let i = 0; i < 20; i++) await page.keyboard.press('Tab')
    expect(await page.evaluate('scrollY')).toBe(200)
    await page.setViewportSize(WIDE)
  })
})

/** Text of what has the focus, when nothing of it can be seen. */
const COVERED = `(() => {
  const has = document.activeElement
  const { left, top, right, bottom } = has.getBoundingClientRect()
  const points = [[(left + right) / 2, (top + bottom) / 2], [left + 2, top + 2], [right - 2, bottom - 2]]
  return points.some(([x, y]) => has.contains(document.elementFromPoint(x, y))) ? [] : [has.textContent]
})()`
