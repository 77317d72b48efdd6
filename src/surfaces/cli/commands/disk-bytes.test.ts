import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { expect, test } from 'vitest'
import { diskBytes } from './disk-bytes.ts'

test('all files of a folder are counted, also those below it', () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'bytes-'))
  fs.mkdirSync(path.join(dir, 'work', 'one'), { recursive: true })
  fs.writeFileSync(path.join(dir, 'log'), 'abc')
  fs.writeFileSync(path.join(dir, 'work', 'one', 'stdout'), 'de')
  expect(diskBytes(dir)).toBe(5)
  expect(diskBytes(path.join(dir, 'gone'))).toBe(0)
})

// What reads this folder is itself in the list, and gone when it is looked at.
test.runIf(process.platform === 'linux')('a file that goes while it is counted counts nothing', () => {
  expect(diskBytes('/proc/self/fdinfo')).toBe(0)
})
