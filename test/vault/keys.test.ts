/* One name, one key: whoever says a name means the same, as recipient and as signer. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { KeyRing } from '../../src/drivers/vault/keys.ts'
import { failure, scratch, synced } from './rig.ts'

const root = scratch()
afterAll(() => fs.rmSync(root, { recursive: true, force: true }))

const ring = (name: string) => new KeyRing(path.join(root, name))
const card = async (name: string) => {
  const { recipient, signer } = await ring(`home of ${name}`).create(name)
  return { name, recipient, signer }
}
const TAKEN = expect.objectContaining({ code: 'NAME_TAKEN' }) as unknown

test('somebody under the name of an own key is refused, and so is an own key under theirs', async () => {
  const [own, theirs] = [ring('one'), await card('desk')]
  const { recipient, signer } = await own.create('laptop')
  const itself = { name: 'laptop', recipient, signer }
  expect([own.trust(itself), own.known()]).toEqual([itself, []])
  expect(() => own.trust({ ...theirs, name: 'laptop' })).toThrow(TAKEN)
  expect([own.recipient('laptop'), own.known()]).toEqual([recipient, []])
  own.trust(theirs)
  expect(await failure(own.create('desk'))).toEqual(TAKEN)
})

test('who was trusted as a signer alone is given a recipient by their card; nothing else of them changes', async () => {
  const [own, theirs, other] = [ring('two'), await card('ana'), await card('bo')]
  own.trust({ ...theirs, recipient: null })
  expect(own.trust(theirs)).toEqual(theirs)
  expect(own.trust({ ...theirs, recipient: null })).toEqual(theirs)
  expect(own.known()).toEqual([theirs])
  for (const wrong of [
    { ...theirs, recipient: other.recipient },
    { ...other, name: 'ana' },
  ])
    expect(() => own.trust(wrong)).toThrow(TAKEN)
  expect(own.known()).toEqual([theirs])
})

test('a key that is there counts after a power cut: its folder is synced, and a new one into the one above', async () => {
  const [own, theirs] = [ring('three/home'), await card('cy')]
  expect(await synced(root, () => own.create('laptop'))).toEqual(['', 'three', 'three/home', 'three/home/keys'])
  expect(await synced(root, () => own.create('second'))).toEqual(['three/home/keys'])
  expect(await synced(root, async () => own.trust(theirs))).toEqual(['three/home', 'three/home/known'])
})
