/*
 * What a team left behind, in a browser.
 *
 * T1. Everything that is there can be chosen, and an address that leads nowhere says so.
 * T2. A button that is offered does what it says.
 * T3. What is shown agrees with what the command line says.
 */
import { describe, expect, test } from 'vitest'
import { openWorkspace, type OpenSession } from '../../src/index.ts'
import type { Place } from '../cli/binary.ts'
import { hasChromium, Rig, servedForAllTests } from './rig.ts'

const on = servedForAllTests({ prepare: leaveBehind })

async function leaveBehind({ dir }: Place): Promise<void> {
  const workspace = await openWorkspace({ dir })
  const session = await workspace.createSession({ name: 'left' })
  await talk(session)
  await session.task.add({ title: 'Measure it' })
  await session.task.claim({ task: 'task-1' })
  await session.task.fail({ task: 'task-1', reason: 'no database' })
  await session.task.add({ title: 'Tell them' })
  await session.task.block({ task: 'task-2', reason: 'not before monday' })
  await seats(session)
  await session.workflow.transition({ to: 'research' })
  for (const [i, name] of STEPS.entries())
    await session.step.start({ key: String(i).repeat(64), name, state: 'research', command: 'x' })
  await session.close()
  await circle(await workspace.createSession({ name: 'round' }))
  await workspace.createSession({ name: 'plain' })
  await row(await workspace.createSession({ name: 'row' }))
  await workspace.close()
}

const STEPS = ['ask', 'find-every-caller-of-the-old-session-store-and-its-tests']

async function talk({ chat }: OpenSession): Promise<void> {
  await chat.open({ title: 'Kept', id: 'kept', text: 'still going on' })
  await chat.open({ title: 'Put away', id: 'away', text: 'said long ago' })
  await chat.open({ title: 'Kept', id: 'part', text: 'said beside it' })
  await chat.post({ conversation: 'away', text: '', tool: 'grep', call: 'c1' })
  await chat.archive({ conversation: 'away' })
  await chat.merge({ conversation: 'part', into: 'kept' })
}

async function seats({ channel, turn }: OpenSession): Promise<void> {
  await channel.create({ channel: 'room' })
  for (const agent of ['pm', 'dev', 'qa']) await turn.join({ channel: 'room', agent })
  await turn.start({ channel: 'room' })
  await turn.leave({ channel: 'room', agent: 'dev', keep: true })
}

/** Forty states, of which the first may go to the second alone. */
async function row({ workflow }: OpenSession): Promise<void> {
  const names = Array.from({ length: 40 }, (_, i) => `s${i}`)
  const states = Object.fromEntries(names.map((name, i) => [name, i === 39 ? {} : { next: [`s${i + 1}`] }]))
  await workflow.define({ definition: { name: 'row', states } })
}

async function circle(session: OpenSession): Promise<void> {
  const needs = [
    ['task-1', 'task-3'],
    ['task-2', 'task-1'],
    ['task-3', 'task-2'],
  ] as const
  const states = { begin: { next: ['middle'] }, middle: { next: ['end'] }, end: {} }
  await session.workflow.define({ definition: { name: 'round', states } })
  await session.workflow.transition({ to: 'middle' })
  await session.step.start({ key: 'c'.repeat(64), name: 'by hand', state: 'middle', command: 'x' })
  await session.task.import({ tasks: needs.map(([id, other]) => ({ id, title: id, dependencies: [other] })) })
  await session.close()
}

async function crowded({ dir }: Place): Promise<void> {
  const workspace = await openWorkspace({ dir })
  for (let i = 0; i <= 200; i++) await (await workspace.createSession({ name: `s-${i}` })).close()
  await workspace.close()
}

describe.skipIf(!hasChromium)('T what a team left behind', () => {
  test('T1 a conversation that was put away is chosen and read, and takes no message', async () => {
    const { page, go } = on.visit
    await go('/session/left/conversation')
    await page.getByText('still going on').waitFor()
    const choice = page.getByLabel('Conversation')
    const titles = await choice.locator('option').allTextContents()
    expect(titles.toSorted()).toEqual(['Kept (3)', 'Put away (3), archived'])
    await choice.selectOption('away')
    await page.getByText('said long ago').waitFor()
    const post = page.getByRole('button', { name: 'Post' })
    expect(await post.getAttribute('title')).toBe('it is archived')
  })

  test('T3 a message without a text says what it does', async () => {
    const { page, go } = on.visit
    await go('/session/left/conversation?chat=away')
    const last = page.locator('.talk li').last()
    await last.getByText('puts it away').waitFor()
    expect(await page.locator('.talk').textContent()).toContain('calls grep')
    expect(await last.locator('.text').count()).toBe(0)
  })

  test('T1 a bookmark of a conversation that was merged leads to what it is part of', async () => {
    const { page, go } = on.visit
    await go('/session/left/conversation?chat=part')
    await page.getByText('still going on').waitFor()
    expect(await page.getByLabel('Conversation').inputValue()).toBe('kept')
  })

  test('T1 a bookmark of a conversation that is not there says so', async () => {
    const { page, go } = on.visit
    await go('/session/left/conversation?chat=gone')
    await page.getByText('No conversation is called gone here.').waitFor()
    expect(await page.getByText('still going on').count()).toBe(0)
    await page.getByLabel('Conversation').selectOption('kept')
    await page.getByText('still going on').waitFor()
  })

  test('T2 a task that failed is tried again from the board, one that is held up is let go on', async () => {
    const { page, go } = on.visit
    await go('/session/left/tasks')
    const card = (title: string) => page.locator('.card').filter({ hasText: title })
    const retry = card('Measure it').getByRole('button', { name: 'Retry' })
    await retry.click()
    // Its card moves, and with it what a second click would be for.
    await retry.waitFor({ state: 'detached' })
    await card('Tell them').getByRole('button', { name: 'Unblock' }).click()
    await page.getByRole('listitem', { name: 'blocked' }).waitFor({ state: 'detached' })
    const tasks = on.rig.place.data<{ readonly value: readonly { readonly status: string }[] }>(
      'task',
      'list',
      '-s',
      'left',
    )
    expect(tasks.value.map(({ status }) => status)).toEqual(['pending', 'pending'])
  })

  test('T2 a circle is broken by the button of its need', async () => {
    const { page, go } = on.visit
    await go('/')
    const button = page.getByRole('button', { name: 'Break the circle' })
    await button.click()
    await button.waitFor({ state: 'detached' })
    const { value } = on.rig.place.data<{ readonly value: readonly unknown[] }>('dependency', 'cycles', '-s', 'round')
    expect(value).toEqual([])
  })

  test('T3 a state counts the steps that were begun in it, also those that it does not name', async () => {
    const { page, go } = on.visit
    await go('/session/round/workflow')
    await page.getByRole('link', { name: 'middle 0/1 steps; current' }).waitFor({ timeout: 5000 })
    expect(await page.getByRole('link', { name: 'begin no steps; completed' }).count()).toBe(1)
  })

  test('T3 why a move is not allowed is not said of the past, which nobody can be asked about', async () => {
    const { page, go } = on.visit
    await go('/session/round/workflow')
    await page.getByText('Why not elsewhere').waitFor()
    await go('/session/round/workflow?at=2')
    await page.getByRole('heading', { name: 'Moves from begin' }).waitFor()
    expect(await page.getByText('Why not elsewhere').count()).toBe(0)
  })

  test('T3 where no workflow was declared the states are those that hold then, and one can move', async () => {
    const { page, go } = on.visit
    await go('/session/plain/workflow')
    await page.getByText('No workflow was declared').waitFor()
    expect(on.rig.place.run('workflow', 'next', '--session', 'plain').out).toBe('research\nimplement\n')
    await page.getByRole('heading', { name: 'Moves from initialize' }).waitFor()
    await page.getByRole('button', { name: 'Go to research' }).click()
    await page.getByRole('heading', { name: 'Moves from research' }).waitFor()
    expect(await page.getByText('No workflow was declared').count()).toBe(0)
  })

  test('T1 of many states each can be asked why a move is not allowed', async () => {
    const { page, go } = on.visit
    await go('/session/row/workflow')
    await page.getByText('Why not elsewhere').click()
    const asked = page.locator('.moves dt')
    await expect.poll(() => asked.count()).toBe(30)
    await page.getByRole('button', { name: '8 more' }).click()
    await expect.poll(() => page.locator('.moves dd').last().textContent()).toContain('s39')
    expect(await asked.count()).toBe(38)
  })

  test('T3 who is away keeps its place in the queue', async () => {
    const { page, go } = on.visit
    await go('/session/left/turns')
    const rows = page.getByRole('table', { name: 'Seats in room' }).locator('tbody tr')
    await rows.first().waitFor()
    expect(await rows.locator('td:first-child').allTextContents()).toEqual(['speaks', 'next', 'away, keeps place 2'])
    expect(await rows.last().textContent()).toContain('dev')
  })

  test('T3 what is left of a turn shrinks with the seconds beside it', async () => {
    const { page, go } = on.visit
    await go('/session/left/turns')
    const share = () => page.getByRole('progressbar').getAttribute('value').then(Number)
    const first = await share()
    await expect.poll(share).toBeLessThan(first)
  })

  test('T1 of more sessions than Teleport and forks look at, the latest are shown, and that others are left out', async () => {
    const crowd = await Rig.open({ prepare: crowded })
    const { page, go } = await crowd.visit('/teleport')
    await page.getByText('Only the latest 200 of 201 sessions are shown').waitFor()
    const rows = page.getByRole('table', { name: 'Where sessions are' }).locator('tbody tr')
    expect(await rows.first().textContent()).toContain('s-1')
    expect(await rows.last().textContent()).toContain('s-200')
    crowd.place.data('session', 'fork', 's-0@1', 'late')
    await go('/session/late/forks')
    await page.getByText('comes from s-0 at commit 1').waitFor()
    await go('/session/s-0/forks')
    await page.getByText('late goes on from commit 1').waitFor()
    await page.getByText('Of 202 sessions only the latest 200 were asked').waitFor()
    await crowd.close()
  })

  test('a short word of a table is not broken while another column has room', async () => {
    const { page, go } = on.visit
    await go('/session/left/workflow')
    await page.getByRole('cell', { name: 'research', exact: true }).first().waitFor()
    const lines = await page.evaluate(`[...document.querySelectorAll('td[data-title=State]')].map((cell) => {
      const text = new Range()
      text.selectNodeContents(cell)
      return text.getClientRects().length
    })`)
    expect(lines).toEqual([1, 1])
  })
})
