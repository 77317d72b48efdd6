/*
 * D1: a session in PostgreSQL, 64 callers, against raw inserts and the stores that agent frameworks keep on the same server.
 * D2: what each driver takes with 1, 8 and 64 writers of sessions of their own, and with 200 writers of 1,000 sessions.
 */
import { reports } from './lib/fixtures.mjs'
import { diskUse, freshDir } from './lib/place.mjs'
import { freshSession, library, many, set, writer } from './lib/product.mjs'
import { note, rate, row, time } from './lib/report.mjs'
import { drive, interleave, ratio } from './lib/slices.mjs'
import { median, quantile } from './lib/stats.mjs'
import { openEmmett } from './peers/emmett.mjs'
import { openLanggraphPostgres } from './peers/langgraph.mjs'
import { startNats } from './peers/nats.mjs'
import { onServer, startPostgres } from './peers/postgres.mjs'
import { openRawInserts } from './peers/raw-inserts.mjs'

export const promises = ['D1', 'D2']

const CALLERS = 64
const WRITERS = [1, 8, 64]
const values = reports(1024)

export async function run({ quick, say }) {
  const [postgres, nats] = [await startPostgres(), await startNats()]
  try {
    say(postgres.version)
    const rows = await againstPeers(postgres.url, quick)
    const dir = freshDir('d2')
    const places = [
      [dir, () => diskUse(dir).bytes],
      [`${postgres.url}?namespace=d2`, () => tableBytes(postgres.url)],
      ...(nats === undefined ? [] : [[nats.url, () => diskUse(nats.dir).bytes]]),
    ]
    for (const [place, bytes] of places) {
      rows.push(...(await ownWriters(place, quick)), await size(place, bytes, quick))
      rows.push(await manySessions(place, quick))
    }
    return rows
  } catch (error) {
    say(String(error?.stack ?? error))
    throw error
  } finally {
    await postgres.stop()
    await nats?.stop()
  }
}

async function againstPeers(url, quick) {
  const emmett = await openEmmett(url)
  const [raw, langgraph] = [await openRawInserts(url), await openLanggraphPostgres(url)]
  const ours = await freshSession(`${url}?namespace=d1`)
  const own = writer(ours.session, values)
  let i = 0
  const slice = (operation) => () => drive(() => operation(i++), { callers: CALLERS, ms: 250 })
  const figures = await interleave(
    {
      ours: slice(own.write),
      raw: slice((n) => raw.insert(JSON.stringify(values[n & 1023]))),
      emmett: slice((n) => emmett.append(values[n & 1023], n % CALLERS)),
      langgraph: slice((n) => langgraph.put(n % CALLERS)),
    },
    { rounds: quick ? 6 : 24 },
  )
  own.check()
  for (const opened of [ours, raw, emmett, langgraph]) await opened.close()
  const against = (name, peer, limit) =>
    row({
      id: 'D1',
      work: 'PostgreSQL, one session, 64 callers',
      ours: rate(median(figures.ours)),
      peer: `${peer} ${rate(median(figures[name]))}`,
      ratio: ratio(figures.ours, figures[name]),
      target: `≥ ${limit} ×`,
      limit,
      atLeast: true,
    })
  return [
    against('raw', 'raw inserts, 10 connections', 0.6),
    against('emmett', 'emmett-postgresql append', 2),
    against('langgraph', 'langgraph-checkpoint-postgres (2 KB)', 2),
  ]
}

/** What a commit of 300 bytes takes, with index and checkpoint, in a session of its own. */
async function size(place, bytes, quick) {
  const before = await bytes()
  const { sessions, close } = await opened(place, 1, 'size')
  const commits = quick ? 2000 : 20_000
  const own = writer(sessions[0], values)
  await many(commits, CALLERS, own.write)
  own.check()
  await close()
  return note('D2', `${driverOf(place)}: a commit on the disk`, `${Math.round(((await bytes()) - before) / commits)} B`)
}

async function tableBytes(url) {
  const found = await onServer(url, [
    'vacuum',
    `select sum(pg_total_relation_size(c.oid))::float8 bytes from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'steadfold' and c.relkind = 'r'`,
  ])
  return found.rows[0].bytes
}

const driverOf = (place) => /^(postgres|nats)/.exec(place)?.[0] ?? 'files'

async function ownWriters(place, quick) {
  const rows = []
  for (const writers of WRITERS) {
    const { sessions, close } = await opened(place, writers, `w${writers}`)
    const { perSecond, latencies } = await load(sessions, writers, quick ? 1000 : 4000)
    rows.push(figure(place, `${writers} ${writers === 1 ? 'writer' : 'writers, a session each'}`, perSecond, latencies))
    await close()
  }
  return rows
}

async function manySessions(place, quick) {
  const [count, writers] = quick ? [100, 50] : [1000, 200]
  const { sessions, close } = await opened(place, count, 'many')
  const { perSecond, latencies } = await load(sessions, writers, quick ? 2000 : 10_000)
  await close()
  return figure(place, `${count} sessions, ${writers} writers`, perSecond, latencies)
}

async function opened(dir, count, name) {
  const { openWorkspace } = await library()
  const workspace = await openWorkspace({ dir })
  const sessions = []
  for (let i = 0; i < count; i++) sessions.push(await workspace.createSession({ name: `${name}-${i}` }))
  return { sessions, close: () => workspace.close() }
}

/** Each writer goes through the sessions from a place of its own, and waits for each answer. */
async function load(sessions, writers, ms) {
  const latencies = []
  const begun = performance.now()
  const write = async (writer) => {
    for (let n = writer; performance.now() < begun + ms; n += writers) {
      const from = performance.now()
      await set(sessions[n % sessions.length], `$.data.w${writer}`, values[n & 1023])
      latencies.push((performance.now() - from) * 1000)
    }
  }
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
  return { perSecond: latencies.length / ((performance.now() - begun) / 1000), latencies }
}

function figure(place, work, perSecond, latencies) {
  const [p50, p99] = [quantile(latencies, 0.5), quantile(latencies, 0.99)]
  return note('D2', `${driverOf(place)}: ${work}`, rate(perSecond), { peer: `p50 ${time(p50)}, p99 ${time(p99)}` })
}
