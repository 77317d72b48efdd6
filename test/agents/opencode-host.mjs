/*
 * Plays opencode: loads an installed plugin and calls its hooks, as opencode 1.18 was seen to do.
 *
 *   node opencode-host.mjs PLUGIN < [[hook, input, output], …]     answers with what the hooks made of it
 */
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const { default: plugin } = await import(pathToFileURL(process.argv[2]).href)
const hooks = await plugin.server({ directory: process.cwd(), worktree: process.cwd() })
const answers = []
for (const [name, ...words] of JSON.parse(readFileSync(0, 'utf8'))) {
  try {
    await hooks[name]?.(...words)
    answers.push({ name, words })
  } catch (error) {
    answers.push({ name, error: error.message })
  }
}
console.log(JSON.stringify({ hooks: Object.keys(hooks), answers }))
