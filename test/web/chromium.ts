/*
 * One Chromium for all tests of the web pages. Without one they are left out, and that is said; in CI they fail.
 */
import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the browser listens; empty where there is none. */
    readonly chromium: string
  }
}

const PLACES = [
  process.env['CHROMIUM'] ?? '',
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

export default async function setup({ provide }: TestProject): Promise<(() => Promise<void>) | undefined> {
  const executablePath = PLACES.find((place) => place !== '' && fs.existsSync(place))
  if (executablePath === undefined) {
    if (process.env['CI'] !== undefined) throw new Error('Chromium is missing: apt-get install chromium')
    console.warn(
      '\n  CHROMIUM IS MISSING: the web pages are NOT tested. Install chromium, or set CHROMIUM to its path.\n',
    )
    provide('chromium', '')
    return undefined
  }
  execFileSync(process.execPath, ['scripts/build.mjs', '--if-stale'], { stdio: 'inherit' })
  const server = await chromium.launchServer({ executablePath, args: ARGS, headless: true })
  provide('chromium', server.wsEndpoint())
  return () => server.close()
}
