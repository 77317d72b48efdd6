/* Who needs a person and is in no session: there is no session to look at, and the command says what to do. */
import { expect, test } from 'vitest'
import { hasChromium, servedForAllTests } from './rig.ts'

const on = servedForAllTests({
  prepare: (place) => {
    for (const name of ['one', 'two']) place.data('session', 'create', name)
    const input = '{"session_id":"a-1","hook_event_name":"SessionStart"}'
    place.runWith({ input }, 'hook', 'claude')
  },
})

test.skipIf(!hasChromium)('an agent in no session is among what needs somebody, and leads to none', async () => {
  const { page, go, problems } = on.visit
  await go('/')
  const need = page.locator('.need').filter({ hasText: 'claude a-1' })
  await need.getByText('no session was named').waitFor()
  expect(await need.textContent()).toContain('steadfold activity adopt claude a-1 --session NAME')
  expect([await need.getByRole('link').count(), await need.locator('.button').count()]).toEqual([0, 0])
  expect(problems).toEqual([])
})
