/* Who needs a person and is in no session: there is no session to look at, and the command says what to do. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hasChromium, Rig, type Visit } from './rig.ts'

let rig: Rig
let visit: Visit
beforeAll(async () => {
  if (!hasChromium) return
  rig = await Rig.open({
    prepare: (place) => {
      for (const name of ['one', 'two']) place.data('session', 'create', name)
      const input = '{"session_id":"a-1","hook_event_name":"SessionStart"}'
      place.runWith({ input }, 'hook', 'claude')
    },
  })
  visit = await rig.visit()
})
afterAll(() => rig?.close())

test.skipIf(!hasChromium)('an agent in no session is among what needs somebody, and leads to none', async () => {
  const { page, go, problems } = visit
  await go('/')
  const need = page.locator('.need').filter({ hasText: 'claude a-1' })
  await need.getByText('no session was named').waitFor()
  expect(await need.textContent()).toContain('steadfold activity adopt claude a-1 --session NAME')
  expect([await need.getByRole('link').count(), await need.locator('.button').count()]).toEqual([0, 0])
  expect(problems).toEqual([])
})
