/*
 * Plays opencode 2: loads an installed plugin and calls what it registers, as the source of 2.0 has it.
 *
 *   node opencode-two-host.mjs PLUGIN [--service] < { sessions, calls: [[name, event], …] }     answers with what became of them
 *
 * `sessions`: what is known of each. `calls`: of hooks, of what comes with the events of all folders, and `dispose`.
 */
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const { default: plugin } = await import(pathToFileURL(process.argv[2]).href)
const { sessions, calls } = JSON.parse(readFileSync(0, 'utf8'))
const hooks = new Map()
const servers = new Map()
const hook = async (name, callback) => void hooks.set(name, callback)

/** An event is over when the next is asked for. */
let hand
let over = () => undefined
async function* events({ signal }) {
  while (!signal.aborted) {
    over()
    yield await new Promise((resolve) => (hand = resolve))
  }
}
const happen = (event) =>
  new Promise((resolve) => {
    over = resolve
    hand(event)
  })

const cleanup = await plugin.setup({
  location: { directory: process.cwd() },
  options: {},
  session: {
    hook,
    get: async ({ sessionID }) => {
      if (sessions[sessionID] === undefined) throw new Error('SessionNotFoundError')
      return { id: sessionID, location: { directory: process.cwd() }, ...sessions[sessionID] }
    },
  },
  tool: { hook },
  mcp: { transform: async (change) => change(servers) },
  event: { subscribe: events },
})
const answers = []
for (const [name, event] of calls) {
  try {
    if (name === 'dispose') await cleanup?.()
    else if (name === 'event') await happen(event)
    else await hooks.get(name)?.(event)
    answers.push({ name, event })
  } catch (error) {
    answers.push({ name, error: error.message })
  }
}
console.log(JSON.stringify({ id: plugin.id, hooks: [...hooks.keys()], servers: Object.fromEntries(servers), answers }))
process.exit(0)
