/*
 * Grant, deny and approve by keyboard alone, for whoever hears the page.
 *
 * Y1. What was done is said, with what it was done to and for whom.
 * Y2. The focus goes to the row behind, and to the heading behind the last; never to nothing.
 */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { openWorkspace } from '../../src/index.ts'
import type { Place } from '../cli/binary.ts'
import { hasChromium, servedForAllTests } from './rig.ts'

const on = servedForAllTests({ prepare: askThrice })

async function askThrice({ dir }: Place): Promise<void> {
  const workspace = await openWorkspace({ dir })
  const session = await workspace.createSession({ name: 'auth' })
  await session.session.configure({ consent_mode: 'explicit', gated: ['lock.break'] })
  for (const name of ['ada', 'ben']) await session.consent.ask({ operation: 'lock.break' }, { actor: `agent:${name}` })
  await session.step.gate({ key: 'a'.repeat(64), name: 'plan:approval', state: null, reason: 'approve the plan' })
  await workspace.close()
}

const focused = (page: Page) =>
  page.evaluate<string>('`${document.activeElement.tagName} ${document.activeElement.textContent}`')

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name }).waitFor({ state: 'detached' })
}

const said = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).waitFor({ timeout: 5000 })

describe.skipIf(!hasChromium)('Y what is granted', () => {
  test('Y1 Y2 each is said, and the focus goes on from row to row', async () => {
    const { page, go } = on.visit
    await go('/')
    await press(page, 'Grant lock.break, ada, auth')
    await said(page, 'Grant lock.break, ada, auth: done')
    expect(await focused(page)).toMatch(/^LI .*ben/)
    await press(page, 'Deny lock.break, ben, auth')
    await said(page, 'Deny lock.break, ben, auth: done')
    expect(await focused(page)).toMatch(/^LI .*plan:approval/)
    await press(page, 'Release plan:approval, auth')
    await said(page, 'Release plan:approval, auth: done')
    expect(await focused(page)).toMatch(/^H2 Needs you/)
  })
})
