/*
 * C1: signed events verified, committed and folded per second, against a loop that only verifies them.
 * C2: the messages of an agent built behind one more message, at 10,000 and 100,000 messages against 100.
 */
import { createHash } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { verifyEvent } from 'nostr-tools/pure'
import { initNostrWasm } from 'nostr-wasm'
import { freshDir } from './lib/place.mjs'
import { freshSession } from './lib/product.mjs'
import { note, rate, row, time } from './lib/report.mjs'
import { interleave, ratio } from './lib/slices.mjs'
import { median, quantile } from './lib/stats.mjs'

export const promises = ['C1', 'C2']

const GROUP = 200
const START = 1_767_225_600
const EACH = 20

async function ask(session, operation, input, options) {
  const done = await session.run(operation, input, options)
  if (done.kind !== 'accepted') throw new Error(`${operation} refused: ${done.code} ${done.message}`)
  return done.value
}

export async function run({ quick, say }) {
  const verified = await verifying(quick)
  say('events verified')
  return [...verified, ...(await building(quick, say))]
}

async function verifying(quick) {
  const wasm = await initNostrWasm()
  const { session, close } = await freshSession(freshDir('c1'))
  let made = 0
  const group = () => Array.from({ length: GROUP }, () => signed(wasm, made++))
  const found = await interleave(
    {
      ours: () => perSecond(group(), (events) => ask(session, 'chat.ingest', { events })),
      verify: () => perSecond(group(), (events) => events.forEach((event) => wasm.verifyEvent(event))),
      'nostr-tools': () => perSecond(group().slice(0, 40), (events) => events.every((event) => verifyEvent(event))),
    },
    { rounds: quick ? 6 : 20 },
  )
  const { events } = await ask(session, 'chat.hash', { conversation: 'bench' })
  if (events < GROUP * found.ours.length) throw new Error(`only ${events} events counted`)
  await close()
  const about = { ours: rate(median(found.ours)), peer: `verifying alone ${rate(median(found.verify))}` }
  return [
    row({
      id: 'C1',
      work: `signed events taken in, ${GROUP} a commit`,
      ...about,
      ratio: ratio(found.ours, found.verify),
      target: '≥ 0.6 ×',
      limit: 0.6,
      atLeast: true,
    }),
    note('C1', '  against nostr-tools verifying alone', about.ours, {
      peer: rate(median(found['nostr-tools'])),
      measured: ratio(found.ours, found['nostr-tools']),
      kind: 'ratio',
    }),
  ]
}

async function perSecond(events, work) {
  const from = performance.now()
  await work(events)
  return events.length / ((performance.now() - from) / 1000)
}

function signed(wasm, n) {
  const key = createHash('sha256')
    .update(`author ${n % 8}`)
    .digest()
  const event = {
    kind: 1111,
    created_at: START + n,
    tags: [['d', 'bench']],
    content: textOf(n),
    id: '',
    pubkey: '',
    sig: '',
  }
  wasm.finalizeEvent(event, key)
  return event
}

const textOf = (n) =>
  `What one of the agents has to say about it, at some length so that it weighs something: ${n}. `.repeat(2)

function plain(n) {
  const event = {
    pubkey: `agent:a${n % 8}`,
    created_at: START + n,
    kind: 1111,
    tags: [['d', 'bench']],
    content: textOf(n),
  }
  const text = JSON.stringify([0, event.pubkey, event.created_at, event.kind, event.tags, event.content])
  return { id: createHash('sha256').update(text).digest('hex'), ...event, sig: null }
}

async function building(quick, say) {
  const counts = quick ? [100, 10_000] : [100, 10_000, 100_000]
  const places = []
  for (const count of counts) {
    places.push(await filled(count))
    say(`${count} messages`)
  }
  const slices = Object.fromEntries(places.map((place) => [place.count, () => p50(place)]))
  const found = await interleave(slices, { rounds: quick ? 6 : 20 })
  for (const { close } of places) await close()
  return counts.slice(1).map((count) =>
    row({
      id: 'C2',
      work: `messages for an agent behind one more, at ${count}, p50`,
      ours: time(median(found[count])),
      peer: `at 100 ${time(median(found[100]))}`,
      ratio: ratio(found[count], found[100]),
      target: '≤ 2 ×',
      limit: 2,
    }),
  )
}

async function filled(count) {
  const { session, close } = await freshSession(freshDir('c2'))
  for (let at = 0; at < count; at += 500) {
    const events = Array.from({ length: Math.min(500, count - at) }, (_, i) => plain(at + i))
    await ask(session, 'chat.ingest', { events, plain: true })
  }
  return { session, close, count, turn: 0 }
}

/** Of building alone; each is behind one more message, and noted as given. */
async function p50(place) {
  const { session } = place
  const found = []
  for (let i = 0; i < EACH; i++) {
    await ask(session, 'chat.post', { conversation: 'bench', text: `more ${place.turn++}` }, { actor: 'human:ana' })
    const from = performance.now()
    const { cursor, messages } = await ask(session, 'chat.build', { conversation: 'bench', agent: 'a1', budget: 2000 })
    found.push((performance.now() - from) * 1000)
    if (messages.length < 10) throw new Error('there is nothing to read')
    await ask(session, 'chat.seen', { conversation: 'bench', agent: 'a1', cursor })
  }
  return quantile(found, 0.5)
}
