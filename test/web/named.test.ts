/*
 * What is pressed says of what, also to whoever hears a list of all buttons of a page.
 *
 * N1. No two of a page have one name. What is seen on a button stands in its name.
 */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { openWorkspace, type OpenSession } from '../../src/index.ts'
import type { Place } from '../cli/binary.ts'
import { hasChromium, servedForAllTests } from './rig.ts'

const on = servedForAllTests({ prepare: everythingTwice })

async function everythingTwice({ dir }: Place): Promise<void> {
  const workspace = await openWorkspace({ dir })
  for (const name of ['one', 'two']) {
    const session = await workspace.createSession({ name })
    await session.session.configure({ consent_mode: 'explicit', gated: ['lock.break', 'session.end'] })
    for (const each of ['a', 'b']) await inNeed(session, each)
    await session.workflow.fail({ reason: 'no such model', class: 'terminal' })
  }
  await workspace.close()
}

const MANY = Array.from({ length: 101 }, (_, i) => i)

async function inNeed(session: OpenSession, name: string): Promise<void> {
  const { chat, channel, consent, lock, message, state, step, task, turn } = session
  for (const operation of ['lock.break', 'session.end']) await consent.ask({ operation }, { actor: `agent:${name}` })
  for (const payload of ['which hash?', 'why?'])
    await message.send({ to: ['human:ana'], payload }, { actor: `agent:${name}` })
  await lock.acquire({ resource: `src/${name}` }, { actor: `agent:${name}` })
  await task.import({ tasks: ['measure', 'tell'].map((each) => ({ id: `${each}-${name}`, title: `${each} ${name}` })) })
  await task.claim({ task: `measure-${name}` })
  await task.fail({ task: `measure-${name}`, reason: 'no database' })
  await task.block({ task: `tell-${name}`, reason: 'not before monday' })
  await step.start({ key: name.repeat(64), name: `build ${name}`, command: 'x' })
  await step.fail({ key: name.repeat(64), token: session.seq, class: 'transient', reason: 'exit 1' })
  await chat.open({ title: name, id: name, text: name.repeat(9000) })
  for (const also of ['once', 'twice', 'twice']) await chat.post({ conversation: name, text: `${also} `.repeat(3000) })
  await state.set({ path: `data.${name}`, value: { left: MANY, right: MANY } })
  await channel.create({ channel: name })
  for (const agent of ['pm', 'dev']) await turn.join({ channel: name, agent })
  await turn.start({ channel: name })
}

/** Names of what is pressed within the page, as they are said. */
async function pressed(page: Page): Promise<readonly string[]> {
  const said = await page.locator('main').ariaSnapshot()
  return [...said.matchAll(/- button "((?:[^"\\]|\\.)*)"/g)].map(([, name = '']) => name)
}

describe.skipIf(!hasChromium)('N what is pressed', () => {
  test.each([
    ['/', 18],
    ['/session/one/tasks', 4],
    ['/session/one/tasks?as=list', 4],
    ['/session/one/workflow', 4],
    ['/session/one/locks', 2],
    ['/session/one/turns', 6],
    ['/session/one/conversation', 6],
    ['/session/one/state', 1],
    ['/session/one/state?path=data.a', 8],
    ['/session/one/log', 1],
    ['/session/one/forks', 1],
    ['/session/one/context', 1],
    ['/session/one/timeline', 1],
    ['/sessions', 1],
    ['/health', 0],
  ])('N1 on %s has names of its own', async (address, least) => {
    const { page, go } = on.visit
    await go(address)
    await expect.poll(async () => (await pressed(page)).length).toBeGreaterThan(least)
    const names = await pressed(page)
    expect(names.filter((name, i) => names.indexOf(name) < i)).toEqual([])
  })

  test('N1 in a tree that is open in several places has names of its own', async () => {
    const { page, go } = on.visit
    await go('/session/one/state')
    for (const place of ['data', 'data.a', 'data.b', 'data.a.left', 'data.a.right', 'data.b.left'])
      await page.getByRole('button', { name: `${place}: ` }).click()
    const names = await pressed(page)
    expect(names.filter((name) => name.startsWith('1 more'))).toHaveLength(3)
    expect(names.filter((name, i) => names.indexOf(name) < i)).toEqual([])
  })
})
