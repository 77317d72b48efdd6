/*
 * What a person answers on the pages.
 *
 * A1. A state whose failure time does not mend is tried again where that is offered: who presses approves.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorkspace } from '../../src/index.ts'
import type { Place } from '../cli/binary.ts'
import { hasChromium, Rig, type Visit } from './rig.ts'

let rig: Rig
let visit: Visit

beforeAll(async () => {
  if (!hasChromium) return
  rig = await Rig.open({ prepare: askFor })
  visit = await rig.visit()
})
afterAll(() => rig?.close())

async function askFor({ dir }: Place): Promise<void> {
  const workspace = await openWorkspace({ dir })
  for (const name of ['here', 'there']) {
    const { workflow } = await workspace.createSession({ name })
    await workflow.fail({ reason: 'no such model', class: 'terminal' })
  }
  await workspace.close()
}

const lastOf = (name: string) =>
  rig.place
    .data<readonly { readonly op: string; readonly events: readonly unknown[] }[]>('log', '--session', name)
    .at(-1)
const approved = { op: 'workflow.retry', events: [{ type: 'workflow.retried', data: { approved: true } }] }

describe.skipIf(!hasChromium)('A what a person answers', () => {
  test('A1 from the inbox', async () => {
    const { page, go } = visit
    await go('/')
    const need = page.locator('.need').filter({ hasText: 'there' })
    await need.getByRole('button', { name: 'Retry', exact: true }).click()
    await expect.poll(() => lastOf('there')).toMatchObject(approved)
  })

  test('A1 from the workflow', async () => {
    const { page, go } = visit
    await go('/session/here/workflow')
    await page.getByRole('button', { name: 'Approve another retry' }).click()
    await expect.poll(() => lastOf('here')).toMatchObject(approved)
  })
})
