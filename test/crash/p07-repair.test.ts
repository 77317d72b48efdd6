import { cpSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { steadfold } from './rig/cli.ts'
import { filesBelow, segmentsBelow } from './rig/files.ts'
import { History } from './rig/history.ts'
import { startInspector } from './rig/inspector.ts'
import { patience, scratch, subject } from './rig/plan.ts'
import { startWriter } from './rig/processes.ts'

/** A sound store of several segments and a checkpoint. */
async function makeStore(): Promise<string> {
  const dir = path.join(scratch('repair'), 'store')
  mkdirSync(dir)
  const { code } = await startWriter({ store: 'product', dir, id: 'w', history: new History(), env: { COUNT: '40' } })
    .ended
  expect(code).toBe(0)
  return dir
}

const middle = (dir: string): string => path.join(dir, segmentsBelow(dir)[1] ?? '')

/** Ways to hurt a log; each leaves the session damaged. */
const wounds: Readonly<Record<string, (dir: string) => void>> = {
  'a flipped bit in the middle': (dir) => {
    const bytes = readFileSync(middle(dir))
    bytes[1500] = (bytes[1500] ?? 0) ^ 4
    writeFileSync(middle(dir), bytes)
  },
  'a segment missing': (dir) => rmSync(middle(dir)),
  'a segment cut short before later ones': (dir) => truncateSync(middle(dir), 2000),
  'a log shorter than its checkpoint': (dir) => {
    const [first = '', ...later] = segmentsBelow(dir)
    truncateSync(path.join(dir, first), 2000)
    for (const file of later) rmSync(path.join(dir, file))
  },
}

const checkpointOf = (dir: string): string => filesBelow(dir).find((name) => name.endsWith('checkpoint.json')) ?? ''

/** The bytes of every log file and checkpoint. */
const logFiles = (dir: string): readonly string[] =>
  filesBelow(dir)
    .filter((name) => name.endsWith('.jsonl') || name.endsWith('checkpoint.json'))
    .map((name) => readFileSync(path.join(dir, name), 'latin1'))

test.skipIf(subject !== 'product').each(Object.entries(wounds))(
  'L1 a session with %s takes no writes until it is repaired, and repair keeps every byte (P7)',
  async (name, wound) => {
    const dir = await makeStore()
    const inspector = startInspector('product')
    const { ids: before = [] } = await inspector.ask({ dir })
    wound(dir)
    // A checkpoint behind the wound spares a reader the wound; verify reads everything.
    expect(steadfold(dir, ['verify']).status).toBe(9)
    if (!name.includes('checkpoint')) rmSync(path.join(dir, checkpointOf(dir)))
    const wounded = logFiles(dir)
    const session = readFileSync(path.join(dir, 'crash-session'), 'utf8')
    const write = steadfold(dir, ['state', 'set', '$.data.more', '1', '--session', session])
    expect([write.status, ['LOG_CORRUPT', 'CHECKPOINT_AHEAD'].includes(write.code)]).toEqual([9, true])
    expect(steadfold(dir, ['repair', session, '--dry-run']).status).toBe(0)
    expect(logFiles(dir)).toEqual(wounded)
    expect(steadfold(dir, ['repair', session]).status).toBe(0)
    // What is still in place was not cut, or stands at the beginning of what was set aside.
    const after = logFiles(dir)
    expect(wounded.filter((bytes) => !after.some((kept) => kept.startsWith(bytes)))).toEqual([])
    await takesWrites(dir, before)
    await inspector.stop()
  },
  patience(30, 60),
)

/** Verified, a prefix of what was there, and open for two more appends, also in a copy of the folder. */
async function takesWrites(dir: string, before: readonly string[]): Promise<void> {
  const copy = `${dir}-copy`
  cpSync(dir, copy, { recursive: true })
  const inspector = startInspector('product')
  const answer = await inspector.ask({ dir: copy, append: ['after-1', 'after-2'], verify: true })
  await inspector.stop()
  expect([answer.verified?.ok, answer.code]).toEqual([true, undefined])
  const kept = answer.ids ?? []
  expect(kept).toEqual(before.slice(0, kept.length))
  expect(answer.after).toEqual([...kept, 'after-1', 'after-2'])
}
