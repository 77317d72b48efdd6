/* S3: durable commits of 64 callers against the stores that agent frameworks use, all in one run. */
import { reports } from './lib/fixtures.mjs'
import { freshDir } from './lib/place.mjs'
import { freshSession, writer } from './lib/product.mjs'
import { rate, row } from './lib/report.mjs'
import { drive, interleave, ratio } from './lib/slices.mjs'
import { median } from './lib/stats.mjs'
import { openDbos } from './peers/dbos.mjs'
import { openEmmett } from './peers/emmett.mjs'
import { openLanggraphPostgres, openLanggraphSqlite } from './peers/langgraph.mjs'
import { startPostgres } from './peers/postgres.mjs'

export const promises = ['S3']

const CALLERS = 64
const values = reports(1024)
const PEERS = [
  ['langgraphSqlite', 'langgraph-checkpoint-sqlite (FULL, 2 KB)', 10],
  ['dbos', 'DBOS step', 40],
  ['emmett', 'emmett-postgresql append', 20],
  ['langgraphPostgres', 'langgraph-checkpoint-postgres (2 KB)', 20],
]

export async function run({ quick, say }) {
  const server = await startPostgres()
  try {
    say(server.version)
    return rows(await measure(server.url, quick))
  } finally {
    await server.stop()
  }
}

async function measure(url, quick) {
  const ours = await freshSession(freshDir('s3'))
  const own = writer(ours.session, values)
  const [sqlite, postgres] = [await openLanggraphSqlite(freshDir('s3q')), await openLanggraphPostgres(url)]
  const [emmett, dbos] = [await openEmmett(url), await openDbos(url, CALLERS)]
  let i = 0
  // Slices are longer here: the servers need some time to come into swing after a pause.
  const slice = (operation) => () => drive(() => operation(i++), { callers: CALLERS, ms: 250 })
  const figures = await interleave(
    {
      ours: slice(own.write),
      langgraphSqlite: slice((n) => sqlite.put(n % CALLERS)),
      dbos: () => dbos.slice(values, 250),
      emmett: slice((n) => emmett.append(values[n & 1023], n % CALLERS)),
      langgraphPostgres: slice((n) => postgres.put(n % CALLERS)),
    },
    { rounds: quick ? 6 : 24 },
  )
  own.check()
  for (const opened of [ours, sqlite, postgres, emmett, dbos]) await opened.close()
  return figures
}

function rows(figures) {
  return PEERS.map(([name, peer, limit]) =>
    row({
      id: 'S3',
      work: 'durable commit, 64 callers',
      ours: rate(median(figures.ours)),
      peer: `${peer} ${rate(median(figures[name]))}`,
      ratio: ratio(figures.ours, figures[name]),
      target: `≥ ${limit} ×`,
      limit,
      atLeast: true,
    }),
  )
}
