/*
 * What a person writes on the pages.
 *
 * P1. It is there once, also when the answer was lost on its way and it was asked for again.
 * P2. What is typed while something is pending stays.
 * P3. So does what is typed into a field and not entered yet, while the session goes on; Enter enters it.
 * P4. A fork begins, and a mark stands, where it was asked for, also when the session went on meanwhile.
 * P5. What is pressed while its page is being read is pending until it was read again, and no longer.
 */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hasChromium, servedForAllTests } from './rig.ts'

const on = servedForAllTests({
  prepare: (place) => {
    place.data('session', 'create', 'talk')
    place.data('chat', 'open', 'Room', '--id', 'room', '--text', 'first')
  },
})

const field = (page: Page) => page.getByLabel('Your message')
const send = (page: Page) => page.getByRole('button', { name: 'Post' })
const stands = () => on.rig.place.data<{ readonly seq: number }>('session', 'show', 'talk')
const POSTS = '**/chat.post'
const READS = '**/chat.show'

describe.skipIf(!hasChromium)('P what a person writes', () => {
  test('P1 a message whose answer was lost is said once, however often it is sent again', async () => {
    const { page, go } = on.visit
    await go('/session/talk/conversation')
    await page.route(
      POSTS,
      async (route) => {
        await route.fetch()
        await route.abort()
      },
      { times: 1 },
    )
    await field(page).fill('only once')
    await send(page).click()
    await page.getByText('the daemon cannot be reached').waitFor()
    expect(await field(page).inputValue()).toBe('only once')
    await send(page).click()
    await expect.poll(() => field(page).inputValue()).toBe('')
    const said = () => page.locator('.talk .text').getByText('only once', { exact: true }).count()
    await expect.poll(said).toBe(1)
    await field(page).fill('only once')
    await send(page).click()
    await expect.poll(said).toBe(2)
  })

  test('P2 what is typed while a message is on its way stays', async () => {
    const { page, go } = on.visit
    await go('/session/talk/conversation')
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route(POSTS, (route) => held.then(() => route.continue()), { times: 1 })
    await field(page).fill('one')
    await send(page).click()
    await page.locator('.say [aria-busy=true]').waitFor()
    await field(page).fill('one and two')
    release()
    await page.locator('.talk .text').getByText('one', { exact: true }).waitFor()
    await page.locator('.say [aria-busy=false]').waitFor()
    expect(await field(page).inputValue()).toBe('one and two')
  })

  test.each([
    ['log', 'Filter the log', 'chat.post', '/log?q=chat.post'],
    ['state', 'A', '1', '/state?from=1'],
  ])('P3 what is typed into a field of %s stays while commits come', async (tab, label, typed, entered) => {
    const { page, go } = on.visit
    await go(`/session/talk/${tab}`)
    const input = page.getByLabel(label, { exact: true })
    await input.pressSequentially(typed)
    on.rig.place.data('chat', 'post', 'room', 'said meanwhile', '--as', 'agent:ada')
    await page.getByText(`live, at ${stands().seq}`).waitFor()
    expect(await input.inputValue()).toBe(typed)
    await input.press('Enter')
    await page.waitForURL(`**${entered}`)
    expect(await input.inputValue()).toBe(typed)
  })

  test('P5 a button that is pressed while its page is being read waits for no pause between two readings', async () => {
    const { page, go } = await on.rig.visit()
    await page.clock.install()
    await go('/session/talk/conversation')
    await page.locator('.talk').getByText('first', { exact: true }).waitFor()
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    const asked = page.waitForRequest(READS)
    await page.route(READS, (route) => held.then(() => route.continue()), { times: 1 })
    on.rig.place.data('chat', 'post', 'room', 'read slowly', '--as', 'agent:ada')
    await asked
    // What waits for a timer waits for ever.
    await page.clock.pauseAt(Date.now() + 60_000)
    await field(page).fill('at last')
    const answered = page.waitForResponse(POSTS)
    await send(page).click()
    await answered
    await page.locator('.say [aria-busy=true]').waitFor()
    release()
    await page.locator('.say [aria-busy=false]').waitFor()
    await page.locator('.talk .text').getByText('at last', { exact: true }).waitFor()
  })

  test('P4 a mark stands at the commit that its button names', async () => {
    const { page, go } = on.visit
    await go('/session/talk/forks')
    const { seq } = stands()
    await page.getByLabel('Name of the mark').fill('here')
    const button = page.getByRole('button', { name: `Mark commit ${seq}` })
    await button.waitFor()
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    // The page hears late that the session went on.
    await page.route(/\/v1\/sessions\/[^/]+$/, (route) => held.then(() => route.continue()))
    on.rig.place.data('chat', 'post', 'room', 'said meanwhile', '--as', 'agent:ada')
    const answered = page.waitForResponse('**/session.mark')
    await button.click()
    await answered
    release()
    await page.getByRole('link', { name: 'here', exact: true }).waitFor()
    const { session } = on.rig.place.data<{ readonly session: { readonly marks: Readonly<Record<string, number>> } }>(
      'session',
      'show',
      'talk',
    )
    expect(session.marks['here']).toBe(seq)
  })

  test('P4 a fork has the history up to where its button was pressed', async () => {
    const { page, go } = on.visit
    await go('/session/talk/tasks')
    const { seq } = stands()
    await page.getByText(`live, at ${seq}`).waitFor()
    await page.getByRole('button', { name: 'Fork now' }).click()
    await page.getByLabel('Name of the new session').fill('aside')
    on.rig.place.data('chat', 'post', 'room', 'said meanwhile', '--as', 'agent:ada')
    await page.getByText(`live, at ${stands().seq}`).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Fork', exact: true }).click()
    await page.getByRole('heading', { name: 'aside', level: 1 }).waitFor()
    const { session } = on.rig.place.data<{
      readonly session: { readonly lineage: readonly { readonly seq: number }[] }
    }>('session', 'show', 'aside')
    expect(session.lineage[0]?.seq).toBe(seq)
  })
})
