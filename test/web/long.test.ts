/*
 * What is long is shown in pieces, for a page that takes all of it stands still for seconds.
 *
 * X1. What is left out is said, with a button that shows more of it.
 * X2. All of a text can be copied without showing it.
 * X3. Rows of a table that draws what is in view have one height, whatever stands in them: the place of each follows from it.
 * X4. A name is no wider than the page, also on a button.
 */
import { describe, expect, test } from 'vitest'
import { openWorkspace, type OpenSession } from '../../src/index.ts'
import type { Place } from '../cli/binary.ts'
import { hasChromium, NARROW, servedForAllTests, WIDE } from './rig.ts'

/** The fifth thousand ends within a character of two code units. */
const LONG = `${'a'.repeat(4999)}\u{1F511}${'word '.repeat(18_000)}end`
const MANY = 120
/** More than a table draws at once. */
const CROWD = 240
/** More than the page of a conversation shows at first. */
const SAID = 1100
const STATE = `state-${'s'.repeat(70)}`

const on = servedForAllTests({ prepare: writeLong }, { permissions: ['clipboard-read', 'clipboard-write'] })

async function writeLong({ dir }: Place): Promise<void> {
  const workspace = await openWorkspace({ dir })
  const session = await workspace.createSession({ name: 'long', goal: LONG })
  await session.chat.open({ title: 'Room', id: 'room', text: LONG })
  await session.state.set({ path: 'data.text', value: LONG })
  const each = Array.from({ length: MANY }, (_, i) => i)
  await Promise.all(each.map((i) => session.state.set({ path: 'data.n', value: i })))
  await Promise.all(each.map((i) => session.task.add({ title: `task ${i}`, id: `task-${i}` })))
  await Promise.all(each.map((i) => session.task.block({ task: `task-${i}`, reason: 'not yet' })))
  await Promise.all(each.map((i) => session.handoff.create({ to: 'bob', task_id: `task-${i}`, notes: 'read it' })))
  await writeCrowd(await workspace.createSession({ name: 'crowd' }))
  await workspace.close()
}

async function writeCrowd(session: OpenSession): Promise<void> {
  const states = { initialize: { next: [STATE] }, [STATE]: {} }
  await session.workflow.define({ definition: { name: 'wide', initial: 'initialize', terminal: STATE, states } })
  await session.chat.open({ title: 'All of it', id: 'all', text: 'begun' })
  const said = Array.from({ length: SAID }, (_, i) => `said ${i}`)
  await Promise.all(said.map((text) => session.chat.post({ conversation: 'all', text })))
  const titles = Array.from({ length: CROWD }, (_, i) =>
    i === 3 ? 'word'.repeat(100) : `${'many words '.repeat(9)}${i}`,
  )
  await Promise.all(titles.map((title, i) => session.task.add({ title, id: `task-${i}` })))
}

/** A list of which 50 are shown at first, and then all. */
const LISTS = [
  ['/session/long/state?path=data.n', '.values > li'],
  ['/session/long/locks', '.cards > li'],
  ['/', '.needs > ol > li'],
] as const

describe.skipIf(!hasChromium)('X what is long', () => {
  test('X1 X2 a text is shown from its beginning, grows on request, and is copied whole', async () => {
    const { page, go, problems } = on.visit
    await go('/session/long/conversation')
    const text = page.locator('.talk .text')
    await text.waitFor()
    const shown = (await text.textContent()) ?? ''
    expect(shown).toContain(`${'a'.repeat(4999)}… 90,005 characters are not shown`)
    await text.getByRole('button', { name: 'Copy all' }).click()
    await text.getByText('copied').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(LONG)
    const more = text.getByRole('button', { name: 'Show more' })
    await more.click()
    await text.getByText('40,004 characters are not shown').waitFor()
    await more.click()
    await more.waitFor({ state: 'detached' })
    expect(await text.textContent()).toContain('word end')
    expect(problems).toEqual([])
  })

  test('X1 what is left out in the middle of a conversation is shown on request', async () => {
    const { page, go } = on.visit
    await go('/session/crowd/conversation')
    await page.getByText('said 1099', { exact: true }).waitFor()
    expect(await page.getByText('said 550', { exact: true }).count()).toBe(0)
    await page.locator('.talk').getByRole('button', { name: 'Show more' }).click()
    await page.getByText('said 550', { exact: true }).waitFor()
    expect(await page.locator('.talk').getByText('left out here').count()).toBe(0)
  })

  test('the point that is viewed is written as in the head of its session', async () => {
    const { page, go } = on.visit
    await go('/session/crowd/forks')
    const seq = await page.locator('.facts div').filter({ hasText: 'seq' }).locator('dd').textContent()
    expect(seq).toMatch(/^\d,\d{3}$/)
    expect(await page.locator('.slider output').textContent()).toBe(`live, at ${seq ?? ''}`)
    await go('/session/crowd/forks?at=1000')
    await page.locator('.slider output').getByText('viewing 1,000').waitFor({ timeout: 5000 })
  })

  test.each(LISTS)('X1 of a list its first 50 are shown, and then all: %s', async (address, items) => {
    const { page, go } = on.visit
    await go(address)
    await expect.poll(() => page.locator(items).count()).toBe(50)
    await page.getByRole('button', { name: `${MANY - 50} more` }).click()
    await expect.poll(() => page.locator(items).count()).toBe(MANY)
  })

  test.each(['state?path=data.text', 'state?from=1', 'log?commit=3'])(
    'X1 nowhere does a text stand as a whole: %s',
    async (tab) => {
      const { page, go } = on.visit
      await go(`/session/long/${tab}`)
      await page.locator('.tab').getByText('characters are not shown').first().waitFor({ state: 'attached' })
      expect(await page.getByText('word end').count()).toBe(0)
    },
  )

  test('j and k walk on from the commit that an address chose, far down in a log', async () => {
    const { page, go } = on.visit
    await go('/session/long/log?commit=5')
    await page.getByRole('button', { name: 'Commit 5', exact: true }).waitFor({ timeout: 10_000 })
    await page.keyboard.press('j')
    await page.waitForURL('**/log?commit=4')
    await page.keyboard.type('kk')
    await page.waitForURL('**/log?commit=6')
  })

  test.each([NARROW, WIDE])('X3 the last of many rows is reached, and all are of one height: $width', async (size) => {
    const { page, go } = on.visit
    await page.setViewportSize(size)
    await go('/session/crowd/tasks?as=list')
    const rows = page.locator('.long tbody tr:not(.gap)')
    await rows.first().waitFor()
    const heights = () => rows.evaluateAll((all) => [...new Set(all.map((row) => row.getBoundingClientRect().height))])
    expect(await heights()).toHaveLength(1)
    await page.locator('.long').evaluate((box) => box.scrollTo(0, box.scrollHeight))
    await page.locator(`.long tr[aria-rowindex="${CROWD + 1}"]`).waitFor()
    expect(await heights()).toHaveLength(1)
  })

  test('X4 a button with a long name in it is no wider than the page', async () => {
    const { page, go } = on.visit
    await page.setViewportSize(NARROW)
    await go('/session/crowd/workflow')
    const { x = 0, width = Infinity } = (await page.getByRole('button', { name: STATE }).boundingBox()) ?? {}
    expect(x + width).toBeLessThan(NARROW.width)
  })

  test('a long goal leaves room for the tabs, also in a narrow window', async () => {
    const { page, go } = on.visit
    await page.setViewportSize(NARROW)
    await go('/session/long/tasks')
    await page.locator('.goal .left-out').waitFor()
    const { y = Infinity } = (await page.locator('.tabs').boundingBox()) ?? {}
    expect(y).toBeLessThan(NARROW.height)
    await go('/sessions')
    const goal = page.locator('td .sub')
    await goal.waitFor()
    expect((await goal.textContent())?.length).toBe(201)
  })
})
