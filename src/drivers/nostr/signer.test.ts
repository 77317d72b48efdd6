import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { expect, test } from 'vitest'
import { openSigner } from './signer.ts'

const SECRET = 'b7e151628aed2a6abf7158809cf4f3c762e7160f38b4da56a784d9045190cfef'
const AUTHOR = 'dff1d77f2a671c5f36183726db2341be58feae1da2deced843240f7b502ba659'
const ORDER = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'

function signerOf(text: string) {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'key-')), 'key')
  fs.writeFileSync(file, text, { mode: 0o600 })
  return openSigner(file)
}

test.each([
  SECRET,
  SECRET.toUpperCase(),
  `  ${SECRET}\n`,
  'nsec1kls4zc52a54x40m3tzqfea8nca3ww9s08z6d5448snvsg5vselhsjv8uxn',
])('%s is a key', async (text) => {
  expect((await signerOf(text)).author).toBe(AUTHOR)
})

test.each(['', 'x', '0'.repeat(64), ORDER, SECRET.slice(1), `npub1${'q'.repeat(58)}`])(
  '%j is none, and it is said',
  async (text) => {
    await expect(signerOf(text)).rejects.toMatchObject({
      code: 'SIGNER_MISSING',
      message: expect.stringMatching(/holds no secret key$/) as unknown,
    })
  },
)
