import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const PACKAGE = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//

/** The licences of the packages whose code is inside the bundles, as their authors ask. */
export function licences(paths) {
  const names = new Set(paths.flatMap((path) => PACKAGE.exec(path)?.[1] ?? []))
  return [...names].sort().map(licence).join('\n')
}

function licence(name) {
  const folder = join('node_modules', name)
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  const text = file ? readFileSync(join(folder, file), 'utf8').trim() : `Licence: ${license}`
  return `${'='.repeat(80)}\n${name} ${version} (${license})\n${'='.repeat(80)}\n${text}\n`
}
