import { Encrypter } from 'age-encryption'
import { expect, test } from 'vitest'
import { envelopeOf, opened, type Openers } from './seal.ts'

/** With less work than ours take. */
async function sealedWith(passphrase: string, text: string): Promise<Buffer> {
  const encrypter = new Encrypter()
  encrypter.setScryptWorkFactor(4)
  encrypter.setPassphrase(passphrase)
  return Buffer.from(await encrypter.encrypt(text))
}

async function textOf(bundle: Buffer, openers: Openers): Promise<string> {
  let text = ''
  for await (const chunk of opened(bundle, envelopeOf(bundle) ?? '', openers))
    text += Buffer.from(chunk).toString('utf8')
  return text
}

test('a passphrase is tried once on an envelope, however often that is opened, and on another one again', async () => {
  const [one, other] = [await sealedWith('a word', 'one'), await sealedWith('a word', 'other')]
  let tried = 0
  const openers = {
    identities: [],
    get passphrase() {
      tried++
      return 'a word'
    },
  }
  expect([await textOf(one, openers), await textOf(one, openers)]).toEqual(['one', 'one'])
  expect(tried).toBe(1)
  expect(await textOf(other, openers)).toBe('other')
  expect(tried).toBe(2)
})

test('a wrong one is refused each time', async () => {
  const envelope = await sealedWith('a word', 'one')
  const openers = { identities: [], passphrase: 'another' }
  for (const _ of [1, 2]) await expect(textOf(envelope, openers)).rejects.toMatchObject({ code: 'BUNDLE_SEALED' })
})
