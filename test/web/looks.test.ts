/*
 * How it looks to those who see it in another way.
 *
 * V1. Enlarged, nothing is cut into pieces or left out of a card.
 * V2. In forced colours what is chosen and what leads where is drawn.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasChromium, NARROW, Rig, WIDE, type Visit } from './rig.ts'

let rig: Rig
let visit: Visit
let session = ''

beforeAll(async () => {
  if (!hasChromium) return
  rig = await Rig.open({ sample: true })
  session = rig.session
  visit = await rig.visit()
})
afterAll(() => rig?.close())

describe.skipIf(!hasChromium)('V looks', () => {
  test('V1 the name in the header stands on one line at 200 %', async () => {
    const { page, go } = visit
    await page.setViewportSize({ width: 640, height: 400 })
    await go('/')
    await page.locator('.bar .count').waitFor()
    expect((await page.locator('.brand').boundingBox())?.height).toBeLessThan(30)
    await page.setViewportSize(WIDE)
  })

  test('V1 a card says all that its row says', async () => {
    const { page, go } = visit
    await page.setViewportSize(NARROW)
    await go(`/session/${session}/locks`)
    await page.getByRole('cell', { name: 'writing the hash' }).waitFor({ timeout: 5000 })
    await page.setViewportSize(WIDE)
  })

  test('V2 the chosen commit and the lines between tasks are drawn in forced colours', async () => {
    const { page, go } = visit
    await page.emulateMedia({ forcedColors: 'active' })
    await go(`/session/${session}/log?commit=20`)
    await page.locator('tr.chosen').waitFor()
    const style = (of: string, property: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${of}')).${property}`)
    expect(await style('tr.chosen', 'outlineStyle')).toBe('solid')
    await go(`/session/${session}/tasks?as=needs`)
    await page.locator('.edge.met').first().waitFor({ state: 'attached' })
    expect(await style('.edge.met', 'stroke')).toBe(await style('body', 'color'))
    await page.emulateMedia({ forcedColors: 'none' })
  })
})
