/* L. What becomes of a session while its page is shown, and no commit says so, is on the page. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasChromium, Rig } from './rig.ts'

let rig: Rig
beforeAll(async () => {
  if (!hasChromium) return
  rig = await Rig.open({
    prepare: (place) => {
      for (const name of ['first', 'gone', 'spoiled']) place.data('session', 'create', name)
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

describe.skipIf(!hasChromium)('L sessions that leave', () => {
  test('L one that is taken away is said to be nowhere, and is not shown as active', async () => {
    const { page } = await rig.visit('/session/gone/tasks')
    await page.getByRole('heading', { name: 'gone', level: 1 }).waitFor()
    const list = await page.context().newPage()
    await list.goto(`${rig.url}/sessions`)
    await list.getByRole('link', { name: 'gone', exact: true }).waitFor()
    fs.rmSync(path.dirname(path.dirname(logOf('gone'))), { recursive: true })
    await page.getByText('SESSION_NOT_FOUND').waitFor()
    await expect.poll(() => page.getByRole('heading', { level: 1 }).count()).toBe(0)
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
})
