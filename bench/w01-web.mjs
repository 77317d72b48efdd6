/* W1, W2: the web pages in a real Chromium: first paint of a log with 10,000 commits, from a commit to the page, weight. */
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { freshDir } from './lib/place.mjs'
import { CLI, freshSession, set } from './lib/product.mjs'
import { note, row } from './lib/report.mjs'
import { median, quantile } from './lib/stats.mjs'

export const promises = ['W1', 'W2']

const COMMITS = 10_000
const BROWSER = [process.env.CHROMIUM ?? '', '/usr/bin/chromium', '/usr/bin/google-chrome'].find((file) =>
  fs.existsSync(file),
)
const ARGS =
  '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'
const dist = process.env.BENCH_DIST ?? path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../dist')

export async function run({ quick }) {
  if (BROWSER === undefined) return [note('W1', 'the web pages', 'CHROMIUM IS MISSING: not measured')]
  const dir = freshDir('w1')
  const { session, close } = await freshSession(dir)
  for (let i = 0; i < COMMITS; i += 100)
    await Promise.all(
      Array.from({ length: 100 }, (_, k) => set(session, `$.data.topics.t${(i + k) % 500}`, `value ${i + k}`)),
    )
  const daemon = spawn(process.execPath, [CLI, 'serve', '--json'], { cwd: dir, stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const _ of createInterface(daemon.stdout)) break
  const { url, token } = JSON.parse(fs.readFileSync(path.join(dir, '.steadfold/daemon.json'), 'utf8'))
  const browser = await chromium.launch({ executablePath: BROWSER, args: ARGS.split(' '), headless: true })
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage()
  await page.goto(`${url}/${await fragment(url, token)}`)
  const paints = await painted(page, `${url}/session/${session.id}/log`, quick ? 3 : 9)
  const arrivals = await arriving(page, session, quick ? 5 : 20)
  await browser.close()
  daemon.kill()
  await close()
  return rows(paints, arrivals)
}

async function fragment(url, token) {
  const answer = await fetch(`${url}/v1/links`, { method: 'POST', headers: { Authorization: `Bearer ${token}` } })
  return new URL((await answer.json()).data.url).hash
}

/** From the start of the navigation to the frame that shows the newest commits, in ms; everything loads anew each time. */
async function painted(page, address, times) {
  await page.addInitScript(() => {
    globalThis.painted = new Promise((resolve) => {
      const look = () => {
        if (document.querySelectorAll('main [role=row], main tbody tr:not(.gap)').length > 10)
          resolve(performance.now())
        else requestAnimationFrame(look)
      }
      requestAnimationFrame(look)
    })
  })
  const found = []
  for (let i = -1; i < times; i++) {
    await page.goto(address)
    const ms = await page.evaluate(() => globalThis.painted)
    if (i >= 0) found.push(ms)
  }
  return found
}

/** From the call of `run` in another process to the frame that shows its number, in ms. */
async function arriving(page, session, times) {
  const found = []
  for (let i = 0; i < times; i++) {
    await new Promise((resolve) => setTimeout(resolve, 400))
    const next = session.seq + 1
    const seen = page.evaluate(
      (seq) =>
        new Promise((resolve) => {
          const text = seq.toLocaleString('en')
          const look = () =>
            document.querySelector('.session-head')?.textContent.includes(text)
              ? resolve(Date.now())
              : requestAnimationFrame(look)
          look()
        }),
      next,
    )
    const from = Date.now()
    await set(session, '$.data.topics.live', i)
    found.push((await seen) - from)
  }
  return found
}

function rows(paints, arrivals) {
  const spread = (list) => ({ median: median(list), min: Math.min(...list), max: Math.max(...list) })
  const files = fs.readdirSync(path.join(dist, 'web/assets')).map((name) => path.join(dist, 'web/assets', name))
  const weight = files.reduce(
    (sum, file) => sum + fs.statSync(file).size,
    fs.statSync(path.join(dist, 'web/index.html')).size,
  )
  return [
    row({
      id: 'W1',
      work: `first paint of a log with ${COMMITS} commits`,
      ours: `${Math.round(median(paints))} ms`,
      figure: spread(paints),
      unit: ' ms',
      target: '≤ 1000 ms',
      limit: 1000,
    }),
    row({
      id: 'W2',
      work: 'commit to pixel, p95',
      ours: `${Math.round(quantile(arrivals, 0.95))} ms, p50 ${Math.round(median(arrivals))} ms`,
      figure: { ...spread(arrivals), median: quantile(arrivals, 0.95) },
      unit: ' ms',
      target: '≤ 250 ms',
      limit: 250,
    }),
    note('W2', 'weight of all pages, uncompressed', `${(weight / 1000).toFixed(0)} kB`),
  ]
}
