import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { History } from './rig/history.ts'
import { cli, isRoot, patience, scratch, subject } from './rig/plan.ts'
import { dump, runProgram, startWriter } from './rig/processes.ts'

const shell = ['bash', '-c', 'ulimit -f 256; exec "$0" "$@"']
const plain = { CRASH_SETTINGS: '{"checkpoints":false}' }

/** Mounts a file system of two megabytes, unmounted when the tests are done. */
function smallDisk(): string {
  const dir = scratch('disk')
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', dir])
  afterAll(() => void spawnSync('umount', ['-l', dir]))
  return dir
}

interface Filled {
  readonly history: History
  readonly findings: readonly string[]
}

/** Appends far past what fits; what was acknowledged must be readable while there is no room. */
async function fill(store: string, dir: string, wrap: readonly string[]): Promise<Filled> {
  const history = new History()
  const env = { ...plain, COUNT: '150', SIZE: '30000', CRASH_SLOTS: '1' }
  const end = await startWriter({ store, dir, id: 'w', history, env, wrap }).ended
  const { ids, failure } = dump(store, dir)
  const verified = runProgram('verify', store, { DIR: dir })
  return {
    history,
    findings: [
      ...(end.code === 0 ? [] : [`the writer died with ${end.code}: ${end.stderr.slice(0, 300)}`]),
      ...(history.refused.size > 0 ? [] : ['nothing was refused: the disk was not full']),
      ...(history.acked.size > 5 ? [] : ['hardly anything was acknowledged']),
      ...(failure === '' ? history.judge(ids) : [failure]),
      ...(verified.status === 0 ? [] : [`verify ended with ${verified.status}: ${verified.stderr}`]),
    ],
  }
}

/** With room again, a new writer goes on. */
async function goesOn(store: string, dir: string, history: History): Promise<readonly string[]> {
  const env = { ...plain, COUNT: '3', SIZE: '3000', CRASH_SLOTS: '1' }
  const before = history.acked.size
  const end = await startWriter({ store, dir, id: 'again', history, env }).ended
  const { ids, failure } = dump(store, dir)
  return [
    ...(history.acked.size === before + 3
      ? []
      : [`does not go on: ${end.stderr} ${[...history.refused.values()].at(-1)}`]),
    ...(failure === '' ? history.judge(ids) : [failure]),
  ]
}

const codes = ({ history }: Filled): readonly string[] => [...new Set(history.refused.values())]

test.skipIf(!isRoot)(
  'L5 on a full disk the answer is DISK_FULL, reads work, and appends go on when there is room (P5)',
  async () => {
    const dir = smallDisk()
    writeFileSync(path.join(dir, 'ballast'), Buffer.alloc(300_000))
    const filled = await fill(subject, dir, [])
    expect(filled.findings).toEqual([])
    if (subject === 'product')
      expect([codes(filled), cliSet(dir)]).toEqual([['DISK_FULL'], { status: 8, code: 'DISK_FULL' }])
    rmSync(path.join(dir, 'ballast'))
    expect(await goesOn(subject, dir, filled.history)).toEqual([])
  },
  patience(40, 60),
)

test.skipIf(!isRoot || subject !== 'product')(
  'a value for which there is no room takes none: small ones still fit (P5)',
  () => {
    const dir = smallDisk()
    const set = (value: string) =>
      spawnSync(process.execPath, [cli, 'state', 'set', '$.data.value', '-', '--dir', dir], { input: value }).status
    spawnSync(process.execPath, [cli, 'init', '--dir', dir])
    spawnSync(process.execPath, [cli, 'session', 'create', 'a', '--dir', dir])
    expect([set('x'.repeat(4_000_000)), set('small')]).toEqual([8, 0])
  },
  patience(40, 60),
)

test.skipIf(!isRoot || subject !== 'product')(
  'a daemon that cannot write down where it is says that the disk is full, and leaves no file that says nothing (P5)',
  () => {
    const dir = smallDisk()
    spawnSync(process.execPath, [cli, 'init', '--dir', dir])
    expect(() => writeFileSync(path.join(dir, 'fill'), Buffer.alloc(4_000_000))).toThrow('ENOSPC')
    const args = [cli, 'serve', '--json', '--dir', dir]
    const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 10_000 })
    expect({ status, stdout }).toEqual({ status: 8, stdout: expect.stringContaining('"DISK_FULL"') as string })
    expect(existsSync(path.join(dir, '.steadfold', 'daemon.json'))).toBe(false)
  },
  patience(40, 60),
)

test.skipIf(!isRoot || subject !== 'product')(
  'a worker that fills the disk is known to have ended, and one that finds it full never began: nobody has to look',
  () => {
    const dir = smallDisk()
    const effects = path.join(scratch('effects'), 'effects')
    const done = (name: string) => `echo ${name} >> ${effects}`
    const steps = {
      fills: { run: `${done('fills')}; dd if=/dev/zero of=fill bs=1k count=4000; exit 0` },
      late: { run: done('late'), needs: 'fills' },
    }
    const file = path.join(dir, 'full.workflow.json')
    writeFileSync(file, JSON.stringify({ name: 'full', states: { work: { steps }, done: {} } }))
    const cliRun = (...args: readonly string[]) => spawnSync(process.execPath, [cli, ...args, '--dir', dir]).status
    expect(cliRun('init')).toBe(0)
    // As much as the log has room left in its last block.
    expect([8, 10]).toContain(cliRun('run', file))
    rmSync(path.join(dir, 'fill'))
    expect([cliRun('run', file), readFileSync(effects, 'utf8')]).toEqual([0, 'fills\nlate\n'])
  },
  patience(40, 60),
)

function cliSet(dir: string): { readonly status: number | null; readonly code: unknown } {
  const value = JSON.stringify('x'.repeat(60_000))
  const args = [cli, 'state', 'set', '$.data.more', '-', '--json', '--dir', dir]
  const run = spawnSync(process.execPath, args, { encoding: 'utf8', input: value })
  // The command's own error object.
  const { error } = JSON.parse(run.stdout) as { readonly error?: { readonly code?: string } }
  return { status: run.status, code: error?.code }
}

test(
  'L5 at the file size limit the answer is FILE_TOO_LARGE, reads work, and appends go on without the limit (P5)',
  async () => {
    const dir = path.join(scratch('limit'), 'store')
    mkdirSync(dir)
    const filled = await fill(subject, dir, shell)
    expect(filled.findings).toEqual([])
    if (subject === 'product') expect(codes(filled)).toEqual(['FILE_TOO_LARGE'])
    expect(await goesOn(subject, dir, filled.history)).toEqual([])
  },
  patience(40, 60),
)

test(
  'L5 a store that trusts the count of a write is caught at the limit',
  async () => {
    const dir = path.join(scratch('limit-bad'), 'store')
    mkdirSync(dir)
    expect((await fill('trusts-counts', dir, shell)).findings.join()).toContain('acknowledged lost')
  },
  patience(30, 30),
)
