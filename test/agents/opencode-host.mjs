/*
 * Plays opencode: loads an installed plugin and calls its hooks, as opencode 1.18 was seen to do.
 *
 *   node opencode-host.mjs PLUGIN < [[hook, input, output], …]     answers with what the hooks made of it
 *
 * A hook with a `!` before it is called while no file can be opened.
 */
import { closeSync, openSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const { default: plugin } = await import(pathToFileURL(process.argv[2]).href)
const hooks = await plugin.server({ directory: process.cwd(), worktree: process.cwd() })
const answers = []

function everyFile() {
  const held = []
  try {
    for (;;) held.push(openSync('/dev/null'))
  } catch {
    return held
  }
}

for (const [asked, ...words] of JSON.parse(readFileSync(0, 'utf8'))) {
  const name = asked.replace('!', '')
  const held = name === asked ? [] : everyFile()
  try {
    await hooks[name]?.(...words)
    answers.push({ name, words })
  } catch (error) {
    answers.push({ name, error: error.message })
  } finally {
    for (const file of held) closeSync(file)
  }
}
console.log(JSON.stringify({ hooks: Object.keys(hooks), answers }))
