/*
 * Every page, in light and dark, 1280 and 320 pixels wide. With SHOTS=folder each is also kept as a picture.
 *
 * W1. Nothing that axe-core calls serious or critical.
 * W2. Nothing is cut off or wider than the window at 320 pixels.
 * W3. No error in the console: nothing breaks the policy that forbids inline scripts.
 */
import * as path from 'node:path'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { hasChromium, NARROW, sampleForAllTests, WIDE } from './rig.ts'

const SHOTS = process.env['SHOTS']

const on = sampleForAllTests()
beforeAll(async () => {
  if (hasChromium) await on.visit.page.evaluate(axe.source)
})

const PAGES = ['', 'sessions', 'recover', 'teleport', 'health']
const TABS = ['timeline', 'workflow', 'state', 'log', 'conversation', 'tasks', 'locks', 'turns', 'context', 'forks']
const VIEWS = [
  'tasks?as=needs',
  'tasks?as=list',
  'tasks?task=task-tests',
  'conversation?as=agent:ben',
  'context?view=table',
  'state?at=30',
]

describe.skipIf(!hasChromium)('W every page', () => {
  test.each(PAGES)('W1 W2 W3 /%s', (address) => check(`/${address}`))
  test.each(TABS)('W1 W2 W3 of a session: %s', (tab) => check(`/session/${on.session}/${tab}`))
  test.each(VIEWS)('W1 W2 W3 of a session: %s', (tab) => check(`/session/${on.session}/${tab}`, 'once'))
})

test.skipIf(!hasChromium).each([
  ['tab', '/forks', '.tabs'],
  ['page', '', '.bar nav'],
])('W2 at 320 pixels the %s that is shown stands in its row', async (_what, tab, row) => {
  const { page, go } = on.visit
  await page.setViewportSize(NARROW)
  await go(tab === '' ? '/health' : `/session/${on.session}${tab}`)
  await page.locator('.bar .count').waitFor()
  const [whole, part] = await Promise.all(
    [row, `${row} [aria-current=page]`].map((each) => page.locator(each).boundingBox()),
  )
  const { x = -1, width = 0 } = part ?? {}
  expect(x).toBeGreaterThanOrEqual(whole?.x ?? 0)
  expect(x + width).toBeLessThanOrEqual(Math.ceil((whole?.x ?? 0) + (whole?.width ?? 0)))
})

test.skipIf(!hasChromium)('bars have a colour of their own in forced colours, too', async () => {
  const { page, go } = on.visit
  await page.emulateMedia({ forcedColors: 'active' })
  await go(`/session/${on.session}/context`)
  await page.locator('.bars .line').first().waitFor()
  const grounds = await page.evaluate(
    `['body', '.line.raw', '.line.out'].map((each) => getComputedStyle(document.querySelector(each)).backgroundColor)`,
  )
  expect(new Set(grounds as readonly string[]).size).toBe(3)
  await page.emulateMedia({ forcedColors: 'none' })
})

/** `once`: axe looks at it in light and wide alone, for the rest is as on the page that it is a view of. */
async function check(address: string, how: 'thrice' | 'once' = 'thrice'): Promise<void> {
  const { page, problems, go } = on.visit
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(WIDE)
  await go(address)
  await settled(page)
  await page.evaluate(axe.source)
  const found = [await serious(page)]
  await shot(page, address, 'light')
  await page.emulateMedia({ colorScheme: 'dark' })
  if (how === 'thrice') found.push(await serious(page, ['color-contrast']))
  await shot(page, address, 'dark')
  await page.setViewportSize(NARROW)
  if (how === 'thrice') found.push(await serious(page))
  expect(await overflow(page)).toBeLessThanOrEqual(0)
  await shot(page, address, 'narrow')
  expect({ found: found.flat(), problems }).toEqual({ found: [], problems: [] })
}

/** Until everything that was asked for is here. */
async function settled(page: Page): Promise<void> {
  await page.locator('main :is(h1, h2, section)').first().waitFor()
  await expect.poll(() => page.locator('.waiting').count()).toBe(0)
}

interface Violation {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

async function serious(page: Page, only?: readonly string[]): Promise<readonly string[]> {
  const options = only === undefined ? {} : { runOnly: only }
  const asked = JSON.stringify({ ...options, resultTypes: ['violations'] })
  const { violations } = await page.evaluate<{ readonly violations: readonly Violation[] }>(`axe.run(${asked})`)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('; ')}`)
}

/** Pixels by which the page is wider than the window. */
const overflow = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')

async function shot(page: Page, address: string, look: string): Promise<void> {
  if (SHOTS === undefined) return
  const name = address.replace(`/${on.session}`, '').replaceAll(/\W+/g, '-').replace(/^-/, '') || 'inbox'
  await page.screenshot({ path: path.join(SHOTS, `${name}-${look}.png`) })
}
