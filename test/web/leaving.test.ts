/* L. What becomes of a session while its page is shown, and no commit says so, is on the page. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasChromium, Rig } from './rig.ts'

let rig: Rig
beforeAll(async () => {
  if (!hasChromium) return
  rig = await Rig.open({
    prepare: (place) => {
      for (const name of ['first', 'gone', 'spoiled', 'cut', 'moved']) place.data('session', 'create', name)
      place.data('task', 'add', 'work', '--session', 'first')
      place.data('task', 'claim', '--any', '--as', 'agent:ada', '--session', 'first')
      for (const value of ['1', '2', '3']) place.data('state', 'set', 'data.x', value, '--session', 'first')
    },
  })
})
afterAll(() => rig?.close())

/** The first segment of its log. */
function logOf(name: string): string {
  const { id } = rig.place.data<{ readonly id: string }>('session', 'show', name)
  return path.join(rig.place.dir, '.steadfold', 'sessions', id, 'log', `${'1'.padStart(20, '0')}.jsonl`)
}

const text = (page: Page | undefined) => page?.locator('.tab').textContent()

describe.skipIf(!hasChromium)('L sessions that leave', () => {
  test('L one that is taken away is said to be nowhere, and is not shown as active', async () => {
    const { page } = await rig.visit('/session/gone/tasks')
    await page.getByRole('heading', { name: 'gone', level: 1 }).waitFor()
    const list = await page.context().newPage()
    await list.goto(`${rig.url}/sessions`)
    await list.getByRole('link', { name: 'gone', exact: true }).waitFor()
    fs.rmSync(path.dirname(path.dirname(logOf('gone'))), { recursive: true })
    await page.getByText('SESSION_NOT_FOUND').waitFor()
    await expect.poll(() => page.getByRole('heading', { name: 'gone', level: 1 }).count()).toBe(0)
    await list.getByRole('link', { name: 'gone', exact: true }).waitFor({ state: 'detached' })
    await list.getByRole('link', { name: 'first', exact: true }).waitFor()
    await page.context().close()
  })

  test('L one that is damaged is said to be so, and not any more when it was repaired', async () => {
    const { page } = await rig.visit('/session/spoiled/tasks')
    const status = page.locator('.session-head .badge')
    await status.getByText('active').waitFor()
    const inbox = await page.context().newPage()
    await inbox.goto(rig.url)
    await inbox.getByRole('link', { name: 'spoiled', exact: true }).waitFor()
    const [, second = ''] = fs.readFileSync(logOf('first'), 'utf8').split('\n')
    fs.appendFileSync(logOf('spoiled'), `${second}\n`)
    await status.getByText('damaged').waitFor()
    await inbox.locator('.need').getByText('its log is damaged').waitFor()
    rig.place.run('repair', 'spoiled')
    await status.getByText('active').waitFor()
    await inbox.locator('.need').waitFor({ state: 'detached' })
    await page.context().close()
  })

  test('L one that a repair has cut shows what is there now, in its log and at a point of the past', async () => {
    for (const value of ['1', '2', '3', '4']) rig.place.data('state', 'set', 'data.x', value, '--session', 'cut')
    // What each shows of the commits that go.
    const views = { log: 'value=4', 'log?q=state.set': 'value=4', 'state?at=4&path=data.x': '4 human:tester' }
    const { page } = await rig.visit()
    const pages: Page[] = []
    for (const [view, shown] of Object.entries(views)) {
      const each = pages.length === 0 ? page : await page.context().newPage()
      await each.goto(`${rig.url}/session/cut/${view}`)
      await expect.poll(() => text(each), { message: view }).toContain(shown)
      pages.push(each)
    }
    const file = logOf('cut')
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"value":2', '"value":7'))
    rig.place.run('repair', 'cut')
    rig.place.data('state', 'set', 'data.y', 'new', '--session', 'cut')
    for (const [i, [view, shown]] of Object.entries(views).entries())
      await expect.poll(() => text(pages[i]), { message: view }).not.toContain(shown)
    for (const each of pages.slice(0, 2)) await expect.poll(() => text(each)).toContain('value=new')
    await page.context().close()
  })

  test('L a point that a repair took away is said to be nowhere, with nothing of it, and is shown once it is there again', async () => {
    for (const value of ['1', '2', '3', '4']) rig.place.data('state', 'set', 'data.x', value, '--session', 'moved')
    const { page } = await rig.visit('/session/moved/state?at=5&path=data.x')
    await expect.poll(() => text(page)).toContain('5 human:tester')
    const file = logOf('moved')
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"value":2', '"value":7'))
    rig.place.run('repair', 'moved')
    await expect.poll(() => text(page)).toContain('no point "5"')
    await expect.poll(() => text(page)).not.toContain('human:tester')
    rig.place.data('state', 'set', 'data.y', 'new', '--session', 'moved')
    await expect.poll(() => text(page)).toContain('commits 1 to 4')
    rig.place.data('state', 'set', 'data.z', 'new', '--session', 'moved')
    await expect.poll(() => text(page)).toContain('2 human:tester')
    await expect.poll(() => text(page)).not.toContain('no point')
    await page.context().close()
  })

  test('L a mark that nobody has set yet is shown once it is set', async () => {
    const { page } = await rig.visit('/session/moved/state?at=later')
    await expect.poll(() => text(page)).toContain('no point "later"')
    rig.place.data('session', 'mark', 'later', '--session', 'moved')
    await expect.poll(() => text(page)).toContain('$ {14}')
    await expect.poll(() => text(page)).not.toContain('no point')
    await page.context().close()
  })

  test('L what is written while the first page of a filtered log is on its way is in it', async () => {
    const { page } = await rig.visit()
    let [answer, release] = [() => {}, () => {}]
    const answered = new Promise<void>((resolve) => (answer = resolve))
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route(/\/log\?.*op=/, async (route) => {
      const response = await route.fetch()
      answer()
      await held
      await route.fulfill({ response })
    })
    await page.goto(`${rig.url}/session/first/log?q=state.set`)
    await answered
    rig.place.data('state', 'set', 'data.x', 'meanwhile', '--session', 'first')
    await page.getByText('live, at 7').waitFor()
    release()
    await expect.poll(() => text(page)).toContain('value=meanwhile')
    await page.context().close()
  })

  test('L a timeline stays while newer commits cannot be read', async () => {
    const { page } = await rig.visit('/session/first/timeline')
    await page.locator('.timeline svg').waitFor()
    await page.route(/\/log\?/, (route) => route.abort())
    rig.place.data('task', 'add', 'more', '--session', 'first')
    await page.getByText('the daemon cannot be reached').waitFor()
    expect(await page.locator('.timeline svg').count()).toBe(1)
    await page.context().close()
  })
})
