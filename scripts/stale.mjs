import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Name of the file in the output folder that holds the hash of what it was built from. */
export const STAMP = '.stamp'

const ROOTS = ['package-lock.json', 'package.json', 'tsconfig.json', 'tsconfig.types.json', 'scripts', 'src', 'web']

const filesBelow = (root) =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))

/** Hash of every input by content: times lie after a checkout. */
export const inputsHash = () => hashOf(ROOTS.flatMap((root) => (root.includes('.') ? [root] : filesBelow(root))))

/** Names the code that folds; see K4 of src/kernel/replica/checkpoint.ts. */
export const shapeOf = (...roots) => hashOf(roots.flatMap(filesBelow)).slice(0, 16)

function hashOf(files) {
  const hash = createHash('sha256')
  for (const file of files.sort()) hash.update(`${file}\0`).update(readFileSync(file)).update('\0')
  return hash.digest('hex')
}

/** A build that was cut short has no stamp, or an old one. */
export const isFresh = (hash, folder) =>
  existsSync(join(folder, STAMP)) && readFileSync(join(folder, STAMP), 'utf8') === hash
