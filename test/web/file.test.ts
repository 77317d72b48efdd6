/*
 * A bundle that somebody sent, in a browser: `ui --file`.
 *
 * B1. It is shown as it was, every tab of it, and says that it is only read.
 * B2. Nothing can be pressed that would change it, in the inbox and wherever else.
 * B3. Nothing is asked of any other machine.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasChromium, homeOf, Rig, type Visit } from './rig.ts'

let rig: Rig
let visit: Visit
const asked: string[] = []

beforeAll(async () => {
  if (!hasChromium) return
  rig = await Rig.open({
    sample: true,
    prepare: (place) => {
      place.file('secret', 'correct horse battery\n')
      for (const line of ['key create sam', 'bundle pack build-auth --passphrase-file secret --out one.steadfold'])
        expect(place.runWith({ env: homeOf(place) }, ...line.split(' ')).err, line).not.toContain('error')
    },
    file: ['one.steadfold', '--passphrase-file', 'secret'],
  })
  visit = await rig.visit()
  visit.page.on('request', (request) => asked.push(new URL(request.url()).origin))
})
afterAll(() => rig?.close())

/** Buttons that would change something, and can be pressed. */
const pressable = ({ page }: Visit) => page.locator('.action > button:not([aria-disabled=true])').allTextContents()

describe.skipIf(!hasChromium)('B a file in the browser', () => {
  test('B1 B2 the inbox shows what was open, and none of its actions can be pressed', async () => {
    const { page, problems } = visit
    await page.getByText('read only: one.steadfold').waitFor()
    const release = page.locator('.needs .action > button').first()
    await release.waitFor()
    expect(await release.getAttribute('title')).toBe('what lies in a file is only read')
    expect(await pressable(visit)).toEqual([])
    await release.click({ force: true })
    expect(await page.locator('.needs [role=alert]').count()).toBe(0)
    expect(problems).toEqual([])
  })

  test.each(['workflow', 'conversation', 'locks', 'turns', 'tasks', 'forks', 'log', 'state', 'timeline', 'context'])(
    'B1 B2 so is the session: %s',
    async (tab) => {
      const { page, go, problems } = visit
      await go(`/session/${rig.session}/${tab}`)
      await page.getByRole('heading', { name: 'build-auth', level: 1 }).waitFor()
      await expect.poll(() => page.locator('.waiting').count()).toBe(0)
      expect((await pressable(visit)).filter((text) => text !== 'Check every hash')).toEqual([])
      expect(await page.getByRole('button', { name: /^Fork/ }).count()).toBe(0)
      expect(problems).toEqual([])
    },
  )

  test.each(['sessions', 'recover', 'teleport', 'health'])('B1 B2 and every other page: %s', async (address) => {
    const { page, go, problems } = visit
    await go(`/${address}`)
    await page.locator('main h1').first().waitFor()
    await expect.poll(() => page.locator('.waiting').count()).toBe(0)
    expect((await pressable(visit)).filter((text) => !text.startsWith('Check every hash'))).toEqual([])
    expect(problems).toEqual([])
  })

  test('B3 only the program itself was asked', () => {
    expect([...new Set(asked)]).toEqual([rig.url])
  })
})
