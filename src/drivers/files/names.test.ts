/* U4 and U7 of kernel/names.ts, where claims are files that may be deleted and are not synced. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/conformance/kit.ts'
import { filesKernel, makeWorkspace } from '../../compose.ts'

let root: string
beforeEach(() => {
  root = temporaryFolder()
})

const workspace = () => makeWorkspace(filesKernel(root, { checkpoints: false }))
const unknown = async (id: string) => filesKernel(root).log.names?.unknown?.([id])

test('U7 a session that was claimed for is known, until the machine is started again or the index is gone', async () => {
  const { id } = await workspace().createSession({ name: 'build' })
  expect(await unknown(id)).toEqual([])
  const names = path.join(root, 'names')
  const file = fs.readdirSync(names).find((name) => name.startsWith('.known-')) ?? ''
  fs.renameSync(path.join(names, file), path.join(names, '.known-of-another-boot'))
  expect(await unknown(id)).toEqual([id])
  fs.rmSync(names, { recursive: true })
  await expect(workspace().createSession({ name: 'build' })).rejects.toMatchObject({ code: 'NAME_TAKEN' })
})

test('U7 one without a claim is looked at each time; one whose claim stands is looked at once', async () => {
  const [first, second] = [
    await workspace().createSession({ name: 'a' }),
    await workspace().createSession({ name: 'b' }),
  ]
  const names = path.join(root, 'names')
  for (const name of fs.readdirSync(names)) if (name !== 'n-b') fs.rmSync(path.join(names, name), { recursive: true })
  await workspace().createSession({ name: 'c' })
  expect(await filesKernel(root).log.names?.unknown?.([first.id, second.id])).toEqual([first.id])
  await expect(workspace().createSession({ name: 'a' })).rejects.toMatchObject({ code: 'NAME_TAKEN' })
})

test('U7 a line that was cut short names nobody', async () => {
  const { id } = await workspace().createSession({ name: 'build' })
  const names = path.join(root, 'names')
  const file = path.join(names, fs.readdirSync(names).find((name) => name.startsWith('.known-')) ?? '')
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').slice(0, -3))
  expect(await unknown(id)).toEqual([id])
  await workspace().createSession({ name: 'docs' })
  expect(await unknown(id)).toEqual([])
})
