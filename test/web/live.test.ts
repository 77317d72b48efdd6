/*
 * What is shown is what is.
 *
 * L1. A commit of anybody is on the page without being asked for.
 * L2. When the daemon dies the page says so and keeps what it has; when it is back, so is the page.
 * L3. Two browsers and the command line write at once, and all is there once, everywhere.
 * L4. What agents write is text.
 * L5. What was opened while the page was cut off is there when it is back, also of a point in the past.
 * L6. What a page shows is read once when it is opened.
 */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorkspace } from '../../src/index.ts'
import { hasChromium, NARROW, Rig, type Visit } from './rig.ts'

const HOSTILE = [
  '<img src=x onerror="document.title=\'pwned\'">',
  '<script>document.title="pwned"</script>',
  '"><svg onload=document.title="pwned">',
  '[a link](javascript:document.title="pwned")',
  'javascript:document.title="pwned"',
  '\u001B[31mred\u001B[0m \u202Ereversed',
  'w'.repeat(3000),
] as const

let rig: Rig

beforeAll(async () => {
  if (!hasChromium) return
  rig = await Rig.open({ prepare: (place) => place.data('session', 'create', 'live') })
})
afterAll(() => rig?.close())

const stands = () => rig.place.data<{ readonly seq: number }>('session', 'show', 'live').seq
const say = (text: string) => rig.place.data('chat', 'post', 'room', text, '--as', 'agent:cli')
/** By the library, beside the daemon; gives the last commit. */
async function writeHostile(): Promise<number> {
  const workspace = await openWorkspace({ dir: rig.place.dir })
  const session = await workspace.session('live')
  for (const [i, text] of [...HOSTILE.entries()].toReversed()) {
    const [line, id] = [text.replaceAll(/\p{C}/gu, '').slice(0, 500), `task-${i}`]
    await session.chat.post({ conversation: 'room', text })
    await session.task.add({ title: line, id })
    await session.state.set({ path: `data.hostile.h${i}`, value: text })
    await session.lock.acquire({ resource: line, reason: text.slice(0, 2000) })
    await session.handoff.create({ to: 'bob', task_id: id, notes: text })
  }
  const { seq } = session
  await workspace.close()
  return seq
}

/** Sessions whose workflow has come to its end. */
async function finish(...names: readonly string[]): Promise<void> {
  const workspace = await openWorkspace({ dir: rig.place.dir })
  for (const name of names) {
    const session = await workspace.createSession({ name })
    await session.workflow.define({ definition: { name, states: { begin: { next: ['end'] }, end: {} } } })
    await session.workflow.transition({ to: 'end' })
  }
  await workspace.close()
}

const connection = (page: Page, text: string) => page.locator('.connection').filter({ hasText: text }).waitFor()
const talk = ({ page }: Visit) => page.locator('.talk .text')

describe.skipIf(!hasChromium)('L live', () => {
  test('L1 what the command line writes is on the page at once', async () => {
    const visit = await rig.visit('/session/live/conversation')
    await visit.page.getByText('No conversations yet').waitFor()
    rig.place.data('chat', 'open', 'Room', '--id', 'room', '--text', 'first')
    await visit.page.getByText('first', { exact: true }).waitFor()
    say('second')
    await visit.page.getByText('second', { exact: true }).waitFor()
    expect(visit.problems).toEqual([])
  })

  test('L1 the head of a session that an address names by its name grows with it', async () => {
    const { page } = await rig.visit('/session/live/locks')
    const head = page.locator('.slider output')
    await head.getByText(`live, at ${stands()}`).waitFor()
    rig.place.data('session', 'mark', 'here')
    await head.getByText(`live, at ${stands()}`).waitFor()
    await page.context().close()
  })

  test('L1 what is written between the first reading of a page and the beginning of its stream is on it', async () => {
    const { page } = await rig.visit()
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/v1/stream', (route) => held.then(() => route.continue()))
    await page.goto(`${rig.url}/session/live/locks`)
    const head = page.locator('.slider output')
    await head.getByText(`live, at ${stands()}`).waitFor()
    rig.place.data('session', 'mark', 'between')
    release()
    await head.getByText(`live, at ${stands()}`).waitFor()
    await page.context().close()
  })

  test('L6 nothing that a page shows is read a second time because its stream began', async () => {
    const { page } = await rig.visit('/health')
    const asked: string[] = []
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 60_000)
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/v1/stream', (route) => held.then(() => route.continue()))
    await page.goto(`${rig.url}/session/live/locks`)
    await page.clock.runFor(200)
    release()
    const there = page.locator('.connection, main h2').filter({ hasText: /^(live|Locks)$/ })
    // Time passes slowly: a page that waits for its stream would else give up where the machine is busy.
    await expect.poll(() => page.clock.runFor(1).then(() => there.count()), { interval: 5 }).toBe(2)
    await page.clock.runFor(2000)
    await page.evaluate('fetch("/v1")')
    const reads = asked.filter((each) => each.startsWith('/v1/'))
    expect(reads.toSorted()).toEqual([...new Set(reads)].toSorted())
    await page.context().close()
  })

  test('L1 a comparison with now is read one at a time, however fast the session grows', async () => {
    const { page } = await rig.visit('/session/live/locks')
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    const asked: string[] = []
    await page.route('**/diff?*', async (route) => {
      asked.push(route.request().url())
      await held
      await route.continue()
    })
    await page.goto(`${rig.url}/session/live/state?from=1`)
    for (const name of ['a', 'b', 'c']) {
      rig.place.data('session', 'mark', name)
      await page.locator('.slider output').getByText(`live, at ${stands()}`).waitFor()
    }
    expect(asked.length).toBe(1)
    release()
    await page.getByText(`1 → ${stands()}`).waitFor()
    await page.context().close()
  })

  test('L2 the daemon dies and comes back', async () => {
    const { page } = await rig.visit('/session/live/conversation')
    await page.getByText('second', { exact: true }).waitFor()
    const { port } = new URL(rig.url)
    await rig.kill()
    await connection(page, 'cut off')
    say('said meanwhile')
    expect(await page.getByText('second', { exact: true }).count()).toBe(1)
    await rig.serve(Number(port))
    await page.getByText('said meanwhile', { exact: true }).waitFor()
    await connection(page, 'live')
  })

  test.each(['timeline', 'log?q=task.claim'])(
    'L2 %s, open all the time, is as it was when the daemon is back',
    async (tab) => {
      rig.place.data('task', 'add', 'what is to be done')
      rig.place.data('task', 'claim', '--any', '--as', 'agent:ada')
      const { page } = await rig.visit(`/session/live/${tab}`)
      const shown = page.locator('.timeline svg, .log-box tbody code').first()
      await shown.waitFor()
      const { port } = new URL(rig.url)
      await rig.kill()
      await connection(page, 'cut off')
      const asked = page.waitForResponse(/\/log\?/)
      await rig.serve(Number(port))
      await asked
      await connection(page, 'live')
      await expect.poll(() => page.locator('.failure').count()).toBe(0)
      expect(await shown.count()).toBe(1)
      await page.context().close()
    },
  )

  test('L5 whatever page is opened while the daemon is away is there when it is back', async () => {
    const tabs = ['timeline', 'log', 'log?q=chat.post', 'state?at=1', 'timeline?at=1', 'tasks']
    const visits = await Promise.all(tabs.map(() => rig.visit('/session/live/locks')))
    for (const { page } of visits) await connection(page, 'live')
    const { port } = new URL(rig.url)
    await rig.kill()
    for (const { page } of visits) await connection(page, 'cut off')
    for (const [i, { page }] of visits.entries()) {
      await page.evaluate(`{
        const link = Object.assign(document.createElement('a'), { href: '/session/live/${tabs[i]}' })
        document.body.append(link)
        link.click()
      }`)
      await page.locator('.failure').first().waitFor()
    }
    await rig.serve(Number(port))
    for (const { page } of visits) {
      await connection(page, 'live')
      await expect.poll(() => page.locator('.failure, .waiting').count(), { message: page.url() }).toBe(0)
      await page.context().close()
    }
  })

  test('L3 two browsers and a command line write at once', async () => {
    const visits = await Promise.all([rig.visit('/session/live/conversation'), rig.visit('/session/live/conversation')])
    const texts = ['a', 'b', 'cli'].flatMap((who) => [1, 2].map((n) => `${who} says ${n}`))
    const writing = visits.map(async ({ page }, i) => {
      for (const text of texts.slice(2 * i, 2 * i + 2)) {
        await page.getByLabel('Your message').fill(text)
        await page.getByRole('button', { name: 'Post' }).click()
        await expect.poll(() => page.getByLabel('Your message').inputValue()).toBe('')
      }
    })
    for (const text of texts.slice(4)) say(text)
    await Promise.all(writing)
    for (const visit of visits) {
      await expect.poll(async () => (await talk(visit).allTextContents()).length).toBe(9)
      const shown = await talk(visit).allTextContents()
      expect(texts.filter((text) => shown.filter((each) => each === text).length !== 1)).toEqual([])
    }
    expect(rig.place.data<readonly { readonly ok: boolean }[]>('verify').every(({ ok }) => ok)).toBe(true)
  })

  test('L4 hostile content is shown as text, everywhere', async () => {
    const commit = await writeHostile()
    const { page, problems, go } = await rig.visit('/', { viewport: NARROW })
    for (const tab of ['conversation', 'tasks', 'tasks?as=needs', 'locks', `log?commit=${commit}`, 'state']) {
      await go(`/session/live/${tab}`)
      for (const branch of tab === 'state' ? [/^data:/, /^data\.hostile:/] : [])
        await page.getByRole('button', { name: branch }).first().click()
      await expect.poll(() => page.getByText('onerror=').count(), { message: tab }).not.toBe(0)
      expect(await page.title()).not.toContain('pwned')
      expect(await page.locator('main :is(img, script, a[href^=javascript])').count()).toBe(0)
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), tab).toBeLessThanOrEqual(0)
    }
    await go('/session/live/conversation')
    await expect.poll(() => page.getByText(/^(<img src=x|\\e\[31mred\\e\[0m \\u202ereversed)/).count()).toBe(2)
    expect(problems).toEqual([])
  })

  test('an empty workspace is filled with a sample by one button', async () => {
    const empty = await Rig.open()
    const { page, problems } = await empty.visit()
    await page.getByRole('button', { name: 'Load a sample session' }).first().click()
    await page.getByText('Add sign-in to the accounts service').first().waitFor()
    expect(problems).toEqual([])
    await empty.close()
  })

  test('a browser without a link is told what to do', async () => {
    const { page } = await rig.visit()
    await connection(page, 'live')
    await page.context().clearCookies()
    await page.reload()
    await page.getByText('This browser is not let in').waitFor()
  })

  test('a new link lets a browser in that stands at its address already', async () => {
    const { page } = await rig.visit('/sessions')
    await connection(page, 'live')
    await page.context().clearCookies()
    await page.reload()
    await page.getByText('This browser is not let in').waitFor()
    await page.goto(`${rig.url}/sessions${new URL(await rig.link()).hash}`)
    await page.getByRole('link', { name: 'live', exact: true }).waitFor()
    await connection(page, 'live')
    expect(page.url()).toBe(`${rig.url}/sessions`)
  })

  test('L1 more commits at once than the page of a log takes are all in it', async () => {
    const workspace = await openWorkspace({ dir: rig.place.dir })
    const session = await workspace.createSession({ name: 'burst' })
    const set = (value: number) => session.state.set({ path: 'data.n', value })
    await set(0)
    const { page } = await rig.visit('/session/burst/log?q=state.set')
    const rows = () => page.getByRole('table').getAttribute('aria-rowcount')
    await expect.poll(rows).toBe('2')
    await Promise.all(Array.from({ length: 1500 }, (_, i) => set(i + 1)))
    await expect.poll(rows).toBe('1502')
    const other = await rig.visit('/session/burst/log?q=state.set%20since:1502')
    await other.page.getByText('1502', { exact: true }).waitFor()
    await set(9)
    await other.page.getByText('1503', { exact: true }).waitFor()
    await other.page.context().close()
    await workspace.close()
    await page.context().close()
  })

  test('what one tab has seen the others have seen, and neither forgets what the other saw', async () => {
    await finish('first', 'second')
    const { page } = await rig.visit()
    const other = await page.context().newPage()
    await other.goto(rig.url)
    const button = (tab: Page, name: string) => tab.getByRole('button', { name: `Mark ${name} as seen` })
    await button(other, 'second').waitFor()
    await button(page, 'first').click()
    await button(other, 'first').waitFor({ state: 'detached' })
    await button(other, 'second').click()
    await page.reload()
    await page.getByRole('link', { name: 'first', exact: true }).waitFor()
    expect(await page.getByRole('button', { name: /^Mark/ }).count()).toBe(0)
  })
})
