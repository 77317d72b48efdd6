/*
 * How it looks to those who see it in another way.
 *
 * V1. Enlarged, nothing is cut into pieces or left out of a card or a table.
 * V2. In forced colours what is chosen and what leads where is drawn.
 * V3. What is written from right to left is read from right to left, whatever stands in it.
 * V4. The ring around what has the focus is whole.
 * V5. What a field wants is read in light and in dark: at least 4.5 to 1.
 * V6. In the drawing of a workflow the state in which the session stands is seen, however narrow the window.
 */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorkspace } from '../../src/index.ts'
import { hasChromium, NARROW, Rig, WIDE, type Visit } from './rig.ts'

const SAID = 'שלום! קובץ auth.ts נכתב.'

let rig: Rig
let visit: Visit
let session = ''

beforeAll(async () => {
  if (!hasChromium) return
  rig = await Rig.open({ sample: true, prepare: ({ dir }) => writeFromTheRight(dir) })
  session = rig.session
  visit = await rig.visit()
})
afterAll(() => rig?.close())

async function writeFromTheRight(dir: string): Promise<void> {
  const workspace = await openWorkspace({ dir })
  const right = await workspace.createSession({ name: 'right', goal: SAID })
  await right.chat.open({ title: 'talk', text: SAID })
  await right.task.add({ title: SAID })
  await right.handoff.create({ to: 'ben', task_id: 'task-1', notes: SAID })
  await workspace.close()
}

/** Left edges of the first word and of `auth.ts`, of each text on the page that says it. */
const edges = (page: Page): Promise<readonly (readonly [number, number])[]> =>
  page.evaluate(`{
    const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT)
    const found = []
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      if (!node.data.includes('auth.ts נ')) continue
      const edge = (from, length) => {
        const range = new Range()
        range.setStart(node, from)
        range.setEnd(node, from + length)
        return range.getBoundingClientRect().left
      }
      found.push([edge(0, 4), edge(node.data.indexOf('auth'), 7)])
    }
    found
  }`)

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

  test('V1 at 200 % a table has the columns that it has unenlarged, and is sorted', async () => {
    const { page, go } = visit
    await page.setViewportSize({ width: 640, height: 400 })
    await go(`/session/${session}/locks`)
    await page.getByRole('cell', { name: 'writing the hash' }).waitFor({ timeout: 5000 })
    await page.getByRole('button', { name: 'Since' }).click()
    await page.waitForURL('**/locks?locks=since')
    await page.setViewportSize(WIDE)
  })

  test('what is typed into stays in view while others write', async () => {
    const { page, go } = visit
    await go(`/session/${session}/conversation`)
    await page.setViewportSize({ width: 1280, height: 400 })
    const field = page.getByLabel('Your message')
    await field.focus()
    await page.evaluate('scrollTo(0, document.body.scrollHeight)')
    const before = (await field.boundingBox())?.y ?? 0
    rig.place.data('chat', 'post', 'auth-plan', 'said meanwhile', '--session', session, '--as', 'agent:ada')
    await page.getByText('said meanwhile').waitFor()
    await expect.poll(async () => Math.abs(((await field.boundingBox())?.y ?? 0) - before)).toBeLessThan(3)
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

  test.each(['tasks?as=list', 'workflow'])('V4 on %s', async (tab) => {
    const { page, go } = visit
    await go(`/session/${session}/${tab}`)
    await page.locator('tbody tr').first().waitFor()
    const cut = new Set<string>()
    for (let i = 0; i < 45; i++) {
      await page.keyboard.press('Tab')
      for (const each of await page.evaluate<readonly string[]>(CUT)) cut.add(each)
    }
    expect([...cut]).toEqual([])
  })

  test.each(['light', 'dark'] as const)('V5 in %s', async (colorScheme) => {
    const { page, go } = visit
    await page.emulateMedia({ colorScheme })
    await go('/sessions')
    await page.locator('tbody tr').first().waitFor()
    expect(await page.evaluate<number>(CONTRAST)).toBeGreaterThanOrEqual(4.5)
    await page.emulateMedia({ colorScheme: 'light' })
  })

  test('V6 the drawing begins at the current state, and the page at its top', async () => {
    const { page, go } = visit
    await page.setViewportSize({ width: 390, height: 800 })
    await go(`/session/${session}/workflow`)
    const state = page.locator('.graph [aria-current=step] rect')
    await state.waitFor()
    const [box, has] = [await page.locator('.graph').boundingBox(), await state.boundingBox()]
    expect(has?.x).toBeGreaterThanOrEqual(box?.x ?? Infinity)
    expect((has?.x ?? Infinity) + (has?.width ?? 0)).toBeLessThanOrEqual((box?.x ?? 0) + (box?.width ?? 0))
    expect(await page.evaluate('scrollY')).toBe(0)
    await page.setViewportSize(WIDE)
  })

  test.each(['conversation', 'tasks', 'tasks?as=list', 'locks'])('V3 on %s', async (tab) => {
    const { page, go } = visit
    await go(`/session/right/${tab}`)
    await expect.poll(async () => (await edges(page)).length).toBe(2)
    for (const [first, last] of await edges(page)) expect(first).toBeGreaterThan(last)
  })
})

/** Text of what has the focus, where something around it cuts its ring. */
const CUT = `(() => {
  const has = document.activeElement
  const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(has)
  if (has === document.body || outlineStyle === 'none') return []
  const ring = parseFloat(outlineWidth) + parseFloat(outlineOffset)
  const { top, bottom } = has.getBoundingClientRect()
  for (let around = has.parentElement; around !== document.body; around = around.parentElement) {
    const box = around.getBoundingClientRect()
    const shows = getComputedStyle(around).overflowY === 'visible'
    if (!shows && (top - ring < box.top - 0.5 || bottom + ring > box.bottom + 0.5)) return [has.textContent]
  }
  return []
})()`

/** Of the words in the field on the page, with what they stand on. */
const CONTRAST = `(() => {
  const field = document.querySelector('main input')
  const pen = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const light = (color) => {
    pen.fillStyle = color
    pen.fillRect(0, 0, 1, 1)
    const [r, g, b] = [...pen.getImageData(0, 0, 1, 1).data]
      .map((each) => each / 255)
      .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05
  }
  const below = light(getComputedStyle(field).backgroundColor)
  const above = light(getComputedStyle(field, '::placeholder').color)
  return Math.max(above, below) / Math.min(above, below)
})()`
