/*
 * C. What a session cannot take any more is not offered on its pages, and why stands beside its name; what begins a session
 * of its own is offered still.
 */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Place } from '../cli/binary.ts'
import { hasChromium, homeOf, servedForAllTests } from './rig.ts'

const on = servedForAllTests({
  prepare: (place) => {
    for (const name of ['damaged', 'ended', 'departed']) {
      place.data('session', 'create', name)
      place.data('channel', 'create', 'talk', '--session', name)
      place.data('turn', 'join', 'talk', '--as', 'agent:a', '--session', name)
      place.data('turn', 'say', 'talk', 'hello', '--session', name)
    }
    place.data('session', 'end', 'ended')
    // The commit that ended another does not follow those of this one.
    const end = fs.readFileSync(logOf(place, 'ended'), 'utf8').trimEnd().split('\n').at(-1) ?? ''
    fs.appendFileSync(logOf(place, 'damaged'), `${end}\n`)
    const there = { env: homeOf(place) }
    place.runWith(there, 'key', 'create', 'desk')
    place.runWith(there, 'teleport', 'send', 'departed', '--recipient', 'desk')
  },
})

function logOf(place: Place, name: string): string {
  const { id } = place.data<{ readonly id: string }>('session', 'show', name)
  return path.join(place.dir, '.steadfold', 'sessions', id, 'log', `${'1'.padStart(20, '0')}.jsonl`)
}

const REASONS = { damaged: 'its log is damaged', ended: 'it has ended', departed: 'it has departed' }

describe.skipIf(!hasChromium)('C what a session cannot take', () => {
  test.each(Object.entries(REASONS))(
    'C of one that is %s no move, turn or mark is offered, and a fork is',
    async (name, why) => {
      const { page, go } = on.visit
      const button = (label: string) => page.getByRole('button', { name: label })
      await go(`/session/${name}/workflow`)
      await page.locator('.session-head .notice').getByText(why).waitFor()
      expect(await button('Go to research').getAttribute('aria-disabled')).toBe('true')
      await go(`/session/${name}/turns`)
      expect(await button('Skip').getAttribute('title')).toContain(why)
      await go(`/session/${name}/forks`)
      await page.getByLabel('Name of the mark').fill('here')
      expect(await button('Mark commit').getAttribute('title')).toContain(why)
      expect(await button('Fork now').getAttribute('aria-disabled')).toBeNull()
    },
  )
})
