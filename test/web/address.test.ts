/*
 * An address is a view, wherever it comes from.
 *
 * A1. A point that is not there is said to be not there, on every tab; nothing else is shown in its place.
 * A2. A tab that is not there is no page.
 * A3. A mark counts as the commit that it stands for.
 * A4. The point that is viewed goes along with every link to a commit.
 * A5. A parameter that says nothing is as if it were not there; a filter that nothing fits says so.
 * A6. What recovering one session would do stands alone at its address, also when there is nothing to do.
 */
import { describe, expect, test } from 'vitest'
import { openWorkspace } from '../../src/index.ts'
import { hasChromium, servedForAllTests } from './rig.ts'

const on = servedForAllTests({
  prepare: (place) => {
    place.data('session', 'create', 'build')
    for (let i = 1; i < 15; i++) place.data('state', 'set', 'data.n', String(i))
    place.data('session', 'mark', 'draft')
    place.data('session', 'create', 'work')
    place.data('task', 'add', 'what is to be done', '-s', 'work')
    place.data('task', 'claim', '--any', '--as', 'agent:ada', '-s', 'work')
  },
})

const TABS = ['timeline', 'state', 'log', 'tasks', 'forks']

describe.skipIf(!hasChromium)('A addresses', () => {
  test.each(TABS.flatMap((tab) => ['lost', '9999'].map((at) => [tab, at] as const)))(
    'A1 %s at %s, which is not there',
    async (tab, at) => {
      const { page, go } = on.visit
      await go(`/session/build/${tab}?at=${at}`)
      // What the tab itself reads may be answered before it is known that the point is not there.
      const failure = page.locator('.tab > .failure:only-child')
      await failure.waitFor()
      expect(await page.locator('.tab').textContent()).toBe(await failure.textContent())
      expect(await failure.textContent()).toContain('POINT_NOT_FOUND')
      expect(await page.locator('.slider output').textContent()).toBe(`viewing ${at}back to live`)
      await page.getByRole('button', { name: 'back to live' }).click()
      await failure.waitFor({ state: 'detached' })
    },
  )

  test('A2 a tab that is not there', async () => {
    const { page, go } = on.visit
    await go('/session/build/nothing')
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
    await go('/session/build')
    await page.getByText('Nobody has worked here yet').waitFor()
  })

  test('A3 what is compared with a mark is ten commits before it', async () => {
    const { page, go } = on.visit
    await go('/session/build/state?at=draft')
    await page.getByRole('button', { name: 'with 5', exact: true }).click()
    await page.getByText('5 → 15').waitFor()
  })

  test.each([
    ['build/state?at=9&path=data.n', 'at=9&commit=9'],
    ['build/state?at=9&from=5', 'at=9&commit=9'],
    ['work/timeline?at=3&view=table', 'at=3&commit=3'],
  ])('A4 from %s to a commit', async (from, link) => {
    const { page, go } = on.visit
    await go(`/session/${from}`)
    await page.locator('.tab a[href*=commit]').first().click()
    await page.waitForURL(`**/log?${link}`)
  })

  test.each([
    ['log?hold=never', '[aria-pressed=true]:text("Live tail on")'],
    ['log?hold=9999', 'table[aria-rowcount="4"]'],
    ['tasks?as=nothing', '.board .card'],
    ['tasks?as=needs&q=nothing', ':text("None fits.")'],
  ])('A5 %s', async (view, shown) => {
    const { page, go, problems } = on.visit
    const before = problems.length
    await go(`/session/work/${view}`)
    await page.locator(`.tab ${shown}`).waitFor({ timeout: 10_000 })
    expect(problems.slice(before)).toEqual([])
  })

  test('A6 what recovering a session would do, of one that is lost and of one that is not', async () => {
    const { page, go } = on.visit
    const workspace = await openWorkspace({ dir: on.rig.place.dir })
    for (const name of ['one', 'two'])
      await (await workspace.createSession({ name })).run('session.acquire', { ttl_ms: 1 }, { actor: 'agent:main' })
    await workspace.close()
    await go('/recover/build')
    await page.getByText('is not lost; there is nothing to recover').waitFor()
    await go('/recover/one')
    await page.getByRole('heading', { name: 'one', level: 2 }).waitFor()
    expect(await page.getByRole('heading', { level: 2 }).count()).toBe(1)
    await page.getByRole('link', { name: 'All sessions that are lost' }).click()
    await page.getByRole('heading', { name: 'two', level: 2 }).waitFor()
  })
})
