import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const BUILD = `
  const { webPages } = await import('./scripts/web.mjs')
  const { files } = await webPages()
  console.log(files.filter(([, text]) => String(text).includes(process.cwd())).map(([name]) => name).join(' '))
`

test.each(['test', 'development'])('pages built under NODE_ENV=%s are those that are shipped', (mode) => {
  const env = { ...process.env, NODE_ENV: mode }
  const named = execFileSync(process.execPath, ['--input-type=module', '-e', BUILD], {
    cwd: root,
    env,
    encoding: 'utf8',
  })
  expect(named.trim(), 'files that name the folder of whoever built them').toBe('')
})
