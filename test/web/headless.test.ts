/* A session of which no commit can be read keeps nobody from the others. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hasChromium, Rig } from './rig.ts'

let rig: Rig
beforeAll(async () => {
  if (!hasChromium) return
  rig = await Rig.open({
    prepare: (place) => {
      for (const name of ['whole', 'headless']) place.data('session', 'create', name)
      place.data('state', 'set', 'data.x', '1', '--session', 'headless')
      const { id } = place.data<{ readonly id: string }>('session', 'show', 'headless')
      const log = path.join(place.dir, '.steadfold', 'sessions', id, 'log', `${'1'.padStart(20, '0')}.jsonl`)
      fs.writeFileSync(log, fs.readFileSync(log, 'utf8').replace('session.create', 'session.crate'))
    },
  })
})
afterAll(() => rig?.close())

test.skipIf(!hasChromium)('inbox and sessions show it as damaged, beside the others', async () => {
  const { page, problems, go } = await rig.visit()
  await page.locator('.need').getByText('its log is damaged').waitFor()
  await page.getByRole('link', { name: 'whole', exact: true }).waitFor()
  await go('/sessions')
  await page.locator('td .badge').getByText('damaged').waitFor()
  await page.getByRole('link', { name: 'whole', exact: true }).waitFor()
  expect(problems).toEqual([])
})
