/* H1: a hook of an agent CLI as a process: through the shell and through Node, against `sh -c :` and `node -e 0`. */
import fs from 'node:fs'
import path from 'node:path'
import { freshDir } from './lib/place.mjs'
import { node, run as process_ } from './lib/processes.mjs'
import { CLI, freshSession } from './lib/product.mjs'
import { row, time } from './lib/report.mjs'
import { interleave, ratio } from './lib/slices.mjs'
import { quantile } from './lib/stats.mjs'

export const promises = ['H1']

const HOOK = path.join(path.dirname(CLI), 'hook.sh')
const PAYLOAD = JSON.stringify({
  session_id: '7b0e1c52-1111-4222-8333-944445555666',
  hook_event_name: 'PostToolUse',
  tool_name: 'Read',
  tool_input: { file_path: '/home/ana/app/src/auth.ts' },
  tool_response: { content: 'x'.repeat(4000) },
})

export async function run({ quick }) {
  const dir = freshDir('h1')
  const { session, close } = await freshSession(dir)
  await close()
  const options = { cwd: dir, env: { STEADFOLD_DIR: dir, STEADFOLD_SESSION: session.id }, input: PAYLOAD }
  const figures = await interleave(
    {
      empty: () => process_('sh', ['-c', 'exec cat >/dev/null'], options).ms,
      shell: () => process_('sh', [HOOK, 'claude'], options).ms,
      start: () => node(['-e', '0'], options).ms,
      full: () => node([CLI, 'hook', 'claude'], options).ms,
    },
    { rounds: quick ? 20 : 100, warm: 3 },
  )
  const left = fs.readdirSync(path.join(dir, '.steadfold/spool')).filter((name) => name.endsWith('.fact'))
  if (left.length > figures.shell.length) throw new Error('facts were left behind')
  return [
    hookRow('hook through the shell, p95', figures.shell, figures.empty, { peer: 'sh -c cat', limit: 4 }),
    hookRow('hook through Node, durable, p95', figures.full, figures.start, { peer: 'node -e 0', limit: 8 }),
  ]
}

function hookRow(work, ours, empty, { peer, limit }) {
  return row({
    id: 'H1',
    work,
    ours: time(quantile(ours, 0.95) * 1000),
    peer: `${peer} ${time(quantile(empty, 0.95) * 1000)}`,
    ratio: ratio(ours, empty),
    target: `≤ ${limit} ×`,
    limit,
  })
}
