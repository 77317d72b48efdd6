/* Makes the pictures of README and docs anew: what the tests of the pages see, a few of it. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PICTURES = {
  'inbox-light': 'inbox',
  'session-timeline-dark': 'timeline',
  'session-tasks-as-needs-light': 'tasks',
  'session-conversation-as-agent-ben-dark': 'conversation',
  'recover-light': 'recover',
}
const MOST_BYTES = 400_000
const OUT = 'docs/images'

const made = mkdtempSync(join(tmpdir(), 'shots-'))
const run = ['vitest', 'run', '--project', 'web', 'test/web/pages.test.ts']
const { status } = spawnSync('npx', run, { stdio: 'inherit', env: { ...process.env, SHOTS: made } })
if (status === 0) {
  mkdirSync(OUT, { recursive: true })
  for (const [from, to] of Object.entries(PICTURES)) copyFileSync(join(made, `${from}.png`), join(OUT, `${to}.png`))
  const bytes = Object.values(PICTURES).reduce((sum, name) => sum + statSync(join(OUT, `${name}.png`)).size, 0)
  console.log(`${Object.keys(PICTURES).length} pictures, ${bytes} bytes`)
  if (bytes > MOST_BYTES) process.exitCode = 1
} else process.exitCode = 1
rmSync(made, { recursive: true })
