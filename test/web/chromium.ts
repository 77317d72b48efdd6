/*
 * What all tests of the web pages share: one Chromium, and a folder with the sample that each copies.
 *
 * Without a Chromium they are left out, and that is said; in CI they fail.
 */
import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { remove } from '../remove.ts'
import { fillSample } from './fixture.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the browser listens; empty where there is none. */
    readonly chromium: string
    /** A folder with the sample in it, and the id of its session. */
    readonly sample: { readonly dir: string; readonly session: string }
  }
}

const PLACES = [
  process.env['CHROMIUM'] ?? '',
  // The same pages in half the time: it has no windows to draw.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const executablePath = PLACES.find((place) => place !== '' && fs.existsSync(place))
  if (executablePath === undefined) return without(provide)
  execFileSync(process.execPath, ['scripts/build.mjs', '--if-stale'], { stdio: 'inherit' })
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'web-'))
  const [server] = await Promise.all([
    chromium.launchServer({ executablePath, args: ARGS, headless: true }),
    provideSample(dir, provide),
  ])
  provide('chromium', server.wsEndpoint())
  return async () => {
    await server.close()
    remove(dir)
  }
}

type Provide = TestProject['provide']

async function without(provide: Provide): Promise<() => Promise<void>> {
  if (process.env['CI'] !== undefined) throw new Error('Chromium is missing: apt-get install chromium')
  console.warn(
    '\n  CHROMIUM IS MISSING: the web pages are NOT tested. Install chromium, or set CHROMIUM to its path.\n',
  )
  provide('chromium', '')
  provide('sample', { dir: '', session: '' })
  return () => Promise.resolve()
}

async function provideSample(dir: string, provide: Provide): Promise<void> {
  fs.mkdirSync(path.join(dir, '.steadfold'), { mode: 0o700 })
  provide('sample', { dir, session: await fillSample(dir, 'build-auth') })
}
