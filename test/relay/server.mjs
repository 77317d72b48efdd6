/*
 * A Nostr relay on loopback as a process of its own: the protocol is @nostr-relay/core, events are lines of a file, so that
 * it can be killed and started again. Prints its address when it listens, and ends with its input.
 *
 *   node server.mjs FILE [PORT] [--auth] [--shuffle] [--twice] [--short] [--once] [--busy]
 *
 * --auth: nobody reads or writes without NIP-42. --shuffle: stored events in any order. --twice: every event twice.
 * --short: no more than 7 events at a time. --once: a live subscription is over when one event was heard on it.
 * --busy: an event is put off the first time; "spam" is refused the second.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { matchFilter } from 'nostr-tools/filter'
import { WebSocketServer } from 'ws'

const require = createRequire(import.meta.url)
const { NostrRelay } = require('@nostr-relay/core')
const { EventRepository } = require('@nostr-relay/common')
const { Validator } = require('@nostr-relay/validator')

const [file, port = '0'] = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const [auth, shuffle, twice, short, once, busy] = ['--auth', '--shuffle', '--twice', '--short', '--once', '--busy'].map(
  (name) => process.argv.includes(name),
)

class FileRepository extends EventRepository {
  #events = new Map(lines().map((event) => [event.id, event]))

  isSearchSupported() {
    return false
  }

  upsert(event) {
    if (this.#events.has(event.id)) return { isDuplicate: true }
    this.#events.set(event.id, event)
    appendFileSync(file, `${JSON.stringify(event)}\n`)
    return { isDuplicate: false }
  }

  find(filter) {
    const { limit = 500, ...rest } = filter
    const found = [...this.#events.values()].filter((event) => matchFilter(rest, event))
    const sorted = found
      .sort((a, b) => b.created_at - a.created_at || (a.id < b.id ? -1 : 1))
      .slice(0, short ? Math.min(7, limit) : limit)
    if (shuffle) sorted.sort(() => Math.random() - 0.5)
    return twice ? sorted.flatMap((event) => [event, event]) : sorted
  }

  async destroy() {}
}

/** A line that a kill has cut short is no event. */
function lines() {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return [JSON.parse(line)]
      } catch {
        return []
      }
    })
}

const validator = new Validator()
// Without its cache of answers, which would give the same for a second.
const options = { filterResultCacheTtl: 0, ...(auth ? { hostname: '127.0.0.1' } : {}) }
const relay = new NostrRelay(new FileRepository(), options)
const server = createServer()
const sockets = new WebSocketServer({ server })
sockets.on('connection', (socket) => {
  if (once) endAfterFirst(socket)
  relay.handleConnection(socket, '127.0.0.1')
  socket.on('close', () => relay.handleDisconnect(socket))
  socket.on('error', () => socket.terminate())
  socket.on('message', (data) => {
    hear(socket, data).catch((error) => socket.send(JSON.stringify(['NOTICE', error.message])))
  })
})

function endAfterFirst(socket) {
  const send = socket.send.bind(socket)
  socket.send = (text, ...more) => {
    send(text, ...more)
    const [type, id] = JSON.parse(text)
    if (type !== 'EVENT' || !id.startsWith('live')) return
    void relay.handleMessage(socket, ['CLOSE', id])
    send(JSON.stringify(['CLOSED', id, 'error: enough for today']))
  }
}

async function hear(socket, data) {
  const message = await validator.validateIncomingMessage(data)
  if (auth && message[0] !== 'AUTH' && !relay.isAuthorized(socket)) refuse(socket, message)
  else if (busy && message[0] === 'EVENT' && putsOff(socket, message[1])) return
  else await relay.handleMessage(socket, message)
}

const offered = new Set()

function putsOff(socket, { id, content }) {
  const why = offered.has(id) ? 'blocked: spam \\ud800' : 'rate-limited: slow down'
  const isTaken = offered.has(id) && content !== 'spam'
  offered.add(id)
  if (!isTaken) socket.send(`["OK","${id}",false,"${why}"]`)
  return !isTaken
}

function refuse(socket, [type, first]) {
  const why = 'auth-required: who are you?'
  if (type === 'EVENT') socket.send(JSON.stringify(['OK', first.id, false, why]))
  if (type === 'REQ') socket.send(JSON.stringify(['CLOSED', first, why]))
}

server.listen(Number(port), '127.0.0.1', () => console.log(`ws://127.0.0.1:${server.address().port}`))
process.stdin.resume().on('end', () => process.exit())
