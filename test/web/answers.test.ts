/*
 * What a person answers on the pages.
 *
 * A1. A state whose failure time does not mend is tried again where that is offered: who presses approves.
 * A2. What a row offers is done to what stands in it, also where something else has that name.
 * A3. A transition is let go on, or taken back, that was shown: another that was begun meanwhile waits.
 * A4. What is asked for is granted or denied; what is done unless it is denied, denied first.
 * A5. What is asked in words is read to its end where its row leads.
 */
import { describe, expect, test } from 'vitest'
import { openWorkspace, type OpenSession } from '../../src/index.ts'
import type { Place } from '../cli/binary.ts'
import { hasChromium, servedForAllTests } from './rig.ts'

const on = servedForAllTests({ prepare: askFor })

async function askFor({ dir }: Place): Promise<void> {
  const workspace = await openWorkspace({ dir })
  for (const name of ['here', 'there']) {
    const { workflow } = await workspace.createSession({ name })
    await workflow.fail({ reason: 'no such model', class: 'terminal' })
  }
  const { workflow } = await workspace.createSession({ name: 'way' })
  await workflow.transition({ to: 'research', begin: true })
  await failTwice(await workspace.createSession({ name: 'twice' }))
  for (const mode of ['explicit', 'informed'] as const) await ask(await workspace.createSession({ name: mode }), mode)
  await askInWords(await workspace.createSession({ name: 'words' }))
  await workspace.close()
}

const QUESTION = `Shall I? ${'It is long. '.repeat(40)}Or not?`

async function askInWords({ message }: OpenSession): Promise<void> {
  await message.send({ to: ['human:sam'], type: 'question', payload: QUESTION }, { actor: 'agent:ada' })
  // Later than by the clock of the first.
  await new Promise((resolve) => setTimeout(resolve, 5))
  await message.send({ to: ['cleo'], type: 'question', payload: 'Is it read?' }, { actor: 'agent:ada' })
}

async function ask({ session, consent }: OpenSession, mode: 'explicit' | 'informed'): Promise<void> {
  await session.configure({ consent_mode: mode, gated: ['lock.break'], delay_ms: 3_600_000 })
  await consent.ask({ operation: 'lock.break' }, { actor: 'agent:ada' })
}

/** A step of the workflow, and work outside it that has its name. */
async function failTwice(session: OpenSession): Promise<void> {
  for (const [key, state] of [
    [OF_WORKFLOW, { state: 'initialize' }],
    [OUTSIDE, {}],
  ] as const) {
    await session.step.start({ key, name: 'build', command: 'x', ...state })
    await session.step.fail({ key, token: session.seq, class: 'transient', reason: 'exit 1' })
  }
}

const [OF_WORKFLOW, OUTSIDE] = ['a'.repeat(64), 'b'.repeat(64)] as const

const lastOf = (name: string) =>
  on.rig.place
    .data<readonly { readonly op: string; readonly events: readonly unknown[] }[]>('log', '--session', name)
    .at(-1)
const approved = { op: 'workflow.retry', events: [{ type: 'workflow.retried', data: { approved: true } }] }

describe.skipIf(!hasChromium)('A what a person answers', () => {
  test('A1 from the inbox', async () => {
    const { page, go } = on.visit
    await go('/')
    const need = page.locator('.need').filter({ hasText: 'there' })
    await need.getByRole('button', { name: /^Retry/ }).click()
    await expect.poll(() => lastOf('there')).toMatchObject(approved)
  })

  test('A1 from the workflow', async () => {
    const { page, go } = on.visit
    await go('/session/here/workflow')
    await page.getByRole('button', { name: 'Approve another retry' }).click()
    await expect.poll(() => lastOf('here')).toMatchObject(approved)
  })

  test('A2 a step of the workflow stays as it is where work outside it of the same name is retried', async () => {
    const { page, go } = on.visit
    await go('/session/twice/workflow')
    const outside = page.getByRole('row').filter({ hasText: 'build' }).filter({ hasText: '–' })
    await outside.filter({ hasNotText: 'initialize' }).getByRole('button', { name: 'Retry' }).click()
    await expect
      .poll(() => lastOf('twice'))
      .toMatchObject({ op: 'step.retry', events: [{ type: 'step.retried', data: { key: OUTSIDE } }] })
  })

  test.each([
    ['explicit', ['Grant', 'Deny'], 'Deny', 'consent.denied'],
    ['informed', ['Deny', 'Grant'], 'Grant', 'consent.granted'],
  ])('A4 what is asked for in %s mode is answered from the inbox', async (mode, offered, pressed, type) => {
    const { page, go } = on.visit
    await go('/')
    const buttons = page.locator('.need').filter({ hasText: mode }).locator('.action').getByRole('button')
    const said = offered.map((label) => `${label} lock.break, ada, ${mode}`)
    await expect.poll(() => buttons.allTextContents()).toEqual(said)
    await buttons.filter({ hasText: pressed }).click()
    await expect
      .poll(() => lastOf(mode))
      .toMatchObject({ events: [{ type, data: { operation: 'lock.break', actor: 'agent:ada' } }] })
  })

  test('A5 a question is read whole where its row leads', async () => {
    const { page, go } = on.visit
    await go('/')
    await page.locator('.need').filter({ hasText: 'words' }).getByRole('link', { name: /^Look/ }).click()
    await page.getByRole('row').filter({ hasText: 'message.sent' }).first().click()
    await page.getByRole('complementary').getByText('Or not?').first().waitFor({ timeout: 5000 })
  })

  test('A3 what was begun since the page was read is not let go on', async () => {
    const { page, go } = on.visit
    await go('/session/way/workflow')
    const arrive = page.getByRole('button', { name: 'Arrive' })
    await arrive.waitFor()
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    // The page hears late that the session went on.
    await page.route('**/workflow.show', (route) => held.then(() => route.continue()))
    const transition = (...words: readonly string[]) =>
      on.rig.place.data('workflow', 'transition', ...words, '--session', 'way')
    transition('--abandon')
    transition('implement', '--begin')
    await arrive.click()
    await page.getByText('began to go from "initialize" to "implement"').waitFor()
    release()
  })
})
