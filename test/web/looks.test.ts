/*
 * How it looks to those who see it in another way.
 *
 * V1. Enlarged, nothing is cut into pieces or left out of a card.
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
})
