/*
 * What a team left behind, in a browser.
 *
 * T1. Everything that is there can be chosen, and an address that leads nowhere says so.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorkspace, type OpenSession } from '../../src/index.ts'
import type { Place } from '../cli/binary.ts'
import { hasChromium, Rig, type Visit } from './rig.ts'

let rig: Rig
let visit: Visit

beforeAll(async () => {
  if (!hasChromium) return
  rig = await Rig.open({ prepare: leaveBehind })
  visit = await rig.visit()
})
afterAll(() => rig?.close())

async function leaveBehind({ dir }: Place): Promise<void> {
  const workspace = await openWorkspace({ dir })
  const session = await workspace.createSession({ name: 'left' })
  await talk(session)
  await session.close()
  await workspace.close()
}

async function talk({ chat }: OpenSession): Promise<void> {
  await chat.open({ title: 'Kept', id: 'kept', text: 'still going on' })
  await chat.open({ title: 'Put away', id: 'away', text: 'said long ago' })
  await chat.open({ title: 'Kept', id: 'part', text: 'said beside it' })
  await chat.archive({ conversation: 'away' })
  await chat.merge({ conversation: 'part', into: 'kept' })
}

describe.skipIf(!hasChromium)('T what a team left behind', () => {
  test('T1 a conversation that was put away is chosen and read, and takes no message', async () => {
    const { page, go } = visit
    await go('/session/left/conversation')
    await page.getByText('still going on').waitFor()
    const choice = page.getByLabel('Conversation')
    const titles = await choice.locator('option').allTextContents()
    expect(titles.toSorted()).toEqual(['Kept (3)', 'Put away (2), archived'])
    await choice.selectOption('away')
    await page.getByText('said long ago').waitFor()
    const post = page.getByRole('button', { name: 'Post' })
    expect(await post.getAttribute('title')).toBe('it is archived')
  })

  test('T1 a bookmark of a conversation that was merged leads to what it is part of', async () => {
    const { page, go } = visit
    await go('/session/left/conversation?chat=part')
    await page.getByText('still going on').waitFor()
    expect(await page.getByLabel('Conversation').inputValue()).toBe('kept')
  })

  test('T1 a bookmark of a conversation that is not there says so', async () => {
    const { page, go } = visit
    await go('/session/left/conversation?chat=gone')
    await page.getByText('No conversation is called gone here.').waitFor()
    expect(await page.getByText('still going on').count()).toBe(0)
    await page.getByLabel('Conversation').selectOption('kept')
    await page.getByText('still going on').waitFor()
  })
})
