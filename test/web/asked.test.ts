/*
 * What a person is asked is answered where it is read.
 *
 * W1. Each question has a field of its own, which says whose it is; the answer goes to who asked, once.
 * W2. What cannot be answered says so beside its field, and what was typed stays.
 * W3. Whoever answers by keyboard goes on from there.
 */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hasChromium, servedForAllTests } from './rig.ts'

const on = servedForAllTests({
  prepare: (place) => {
    place.data('session', 'create', 'auth')
    for (const each of ['argon2 or bcrypt?', 'which hash?', 'how many rounds?', 'and why?'])
      place.data('message', 'send', each, '--to', 'human:ana', '--as', 'agent:ben')
  },
})

interface Row {
  readonly id: string
  readonly payload: unknown
}

const inbox = (agent: string): readonly Row[] =>
  on.rig.place.data<{ readonly value: readonly Row[] }>('message', 'list', '--agent', agent).value
const field = (page: Page, question: string) =>
  page.getByRole('textbox', { name: `Your answer to ben, auth: "${question}` })
const answer = (page: Page, question: string) => page.getByRole('button', { name: `Answer ben, auth: "${question}` })
const WRITES = '**/message.answer'

describe.skipIf(!hasChromium)('W what is asked', () => {
  test('W1 the answer to one of several questions is given to who asked it, once', async () => {
    const { page, go } = on.visit
    await go('/')
    const asked = page.waitForRequest(WRITES)
    await field(page, 'which hash?').fill('sha256')
    await answer(page, 'which hash?').dblclick()
    const { id } = (await asked).postDataJSON() as { readonly id: string }
    await expect.poll(() => field(page, 'which hash?').count()).toBe(0)
    expect(inbox('ben')).toMatchObject([{ type: 'answer', payload: 'sha256', correlation_id: id }])
    expect(inbox('human:ana').map(({ payload }) => payload)).not.toContain('which hash?')
  })

  test('W1 what was answered although nobody heard so is not asked any more, and answered once by pressing again', async () => {
    const { page, go } = on.visit
    await go('/')
    await page.route(WRITES, (route) => route.fetch().then(() => route.abort()), { times: 1 })
    await field(page, 'and why?').fill('it is slow')
    await answer(page, 'and why?').click()
    await page.getByText('Nobody asks it any more').waitFor()
    await answer(page, 'and why?').click()
    await expect.poll(() => field(page, 'and why?').count()).toBe(0)
    expect(inbox('ben').filter(({ payload }) => payload === 'it is slow')).toHaveLength(1)
  })

  test('W2 a question that somebody else has taken is answered by them', async () => {
    const { page, go } = on.visit
    await go('/')
    await field(page, 'argon2').fill('argon2')
    on.rig.place.data('message', 'receive', '--as', 'human:ana', '--lease', '1h')
    await answer(page, 'argon2').click()
    await page.getByRole('listitem').filter({ hasText: 'argon2' }).getByText('human:ana has taken message').waitFor()
    expect(await field(page, 'argon2').inputValue()).toBe('argon2')
  })

  test('W2 a question that somebody else has answered meanwhile keeps what was typed, until that is cleared', async () => {
    const { page, go } = on.visit
    for (const each of ['which port?', 'which host?'])
      on.rig.place.data('message', 'send', each, '--to', 'human:ana', '--as', 'agent:ben')
    await go('/')
    const port = field(page, 'which port?')
    await port.fill('8080, since')
    const { id } = inbox('human:ana').find(({ payload }) => payload === 'which port?') ?? {}
    on.rig.place.data('message', 'answer', id ?? '', '80', '--as', 'human:ana')
    const row = page.getByRole('listitem').filter({ hasText: 'which port?' })
    await row.getByText('Nobody asks it any more').waitFor()
    expect(await row.locator('~ li').filter({ hasText: 'which host?' }).count()).toBe(1)
    await page.keyboard.type(' it is free')
    expect(await port.inputValue()).toBe('8080, since it is free')
    await answer(page, 'which port?').click()
    await row.getByText('it was settled').waitFor()
    await port.fill('')
    await expect.poll(() => row.count()).toBe(0)
  })

  test('W3 the row behind an answered question has the focus', async () => {
    const { page, go } = on.visit
    await go('/')
    await field(page, 'how many rounds?').focus()
    await page.keyboard.type('ten')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect.poll(() => field(page, 'how many rounds?').count()).toBe(0)
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('LI')
  })
})
