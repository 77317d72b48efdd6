/* What belongs to another user: a workspace, its spool, a session. */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { expect, test } from 'vitest'
import { Place, plainEnv, PROGRAM } from './binary.ts'

const asRoot = process.getuid?.() === 0

test('a workspace that may not be looked into is unavailable, and the next step is said', () => {
  const shut = new Place()
  try {
    fs.chmodSync(shut.dir, 0o755)
    const uid = 65_534
    if (!asRoot) fs.chmodSync(`${shut.dir}/.steadfold`, 0)
    for (const line of ['status', 'state get', 'task list', 'init', 'workspace copy . to']) {
      const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...line.split(' '), '--json'], {
        cwd: shut.dir,
        env: plainEnv(),
        encoding: 'utf8',
        ...(asRoot ? { uid, gid: uid } : {}),
      })
      expect([line, status], stdout + stderr).toEqual([line, 8])
      expect(JSON.parse(stdout)).toMatchObject({ error: { hint: expect.stringContaining('owner and mode') } })
    }
  } finally {
    fs.chmodSync(`${shut.dir}/.steadfold`, 0o700)
    shut.remove()
  }
})

/** Who is not root shuts himself out of what root keeps from `nobody`. */
function byTheirOwner(shared: Place) {
  const uid = 65_534
  if (asRoot) spawnSync('chown', ['-R', String(uid), shared.dir])
  return (line: string) =>
    spawnSync(process.execPath, [PROGRAM, ...line.split(' '), '--json'], {
      cwd: shared.dir,
      env: plainEnv(),
      encoding: 'utf8',
      timeout: 60_000,
      ...(asRoot ? { uid, gid: uid } : {}),
    })
}

test('a folder that may not be read is named by import', () => {
  const shared = new Place()
  const shut = `${shared.dir}/shut`
  fs.mkdirSync(shut)
  try {
    const run = byTheirOwner(shared)
    fs.chmodSync(shut, 0)
    const { status, stdout } = run('import . --dry-run')
    expect([status, stdout]).toEqual([8, expect.stringContaining(`"cannot read ${shut}: EACCES"`)])
  } finally {
    fs.chmodSync(shut, 0o700)
    shared.remove()
  }
})

test('inputs in a folder that may not be read any more are no others: their step is not paid again', () => {
  const shared = new Place()
  const src = `${shared.dir}/src`
  fs.mkdirSync(`${src}/deep`, { recursive: true })
  fs.writeFileSync(`${src}/deep/a.txt`, 'a')
  const steps = `{ named: { run: 'echo >> ran', inputs: src }, matched: { run: 'echo >> ran', inputs: 'src/**/*.txt' } }`
  fs.writeFileSync(`${shared.dir}/in.workflow.yaml`, `name: in\nstates:\n  one:\n    steps: ${steps}\n  done: {}\n`)
  try {
    const run = byTheirOwner(shared)
    expect(run('run in.workflow.yaml').status).toBe(0)
    fs.chmodSync(`${src}/deep`, 0)
    const { status, stdout } = run('run in.workflow.yaml')
    expect([status, stdout]).toEqual([
      10,
      expect.stringContaining('of its inputs, \\"src/deep\\" cannot be read (EACCES)'),
    ])
    expect(fs.readFileSync(`${shared.dir}/ran`, 'utf8')).toBe('\n\n')
  } finally {
    fs.chmodSync(`${src}/deep`, 0o700)
    shared.remove()
  }
})

test('serve in a workspace that may only be read says what helps', () => {
  const shut = new Place()
  const folder = `${shut.dir}/.steadfold`
  try {
    const run = byTheirOwner(shut)
    fs.chmodSync(folder, 0o500)
    const { status, stdout, stderr } = run('serve')
    expect(status, stdout + stderr).toBe(8)
    expect(stdout).toContain('"code":"READ_ONLY"')
    expect(stdout).toContain('"hint":"check the owner and mode of the workspace folder"')
  } finally {
    fs.chmodSync(folder, 0o700)
    shut.remove()
  }
})

test('where a spool is of another user, as a hook under sudo makes it, every command goes on and says so', () => {
  const shared = new Place()
  const spool = `${shared.dir}/.steadfold/spool`
  try {
    shared.data('session', 'create', 'main')
    fs.rmSync(spool, { recursive: true, force: true })
    const run = byTheirOwner(shared)
    fs.mkdirSync(spool, { mode: asRoot ? 0o700 : 0 })
    for (const line of ['status', 'state set data.topic auth', 'task add one', 'session list', 'log']) {
      const { status, stdout, stderr } = run(line)
      expect([line, status], stdout + stderr).toEqual([line, 0])
      expect(stderr).toContain(`facts stay in ${fs.realpathSync(spool)}: cannot read`)
    }
    fs.chmodSync(`${shared.dir}/.steadfold/names/n-main`, asRoot ? 0o700 : 0)
    if (asRoot) fs.chownSync(`${shared.dir}/.steadfold/names/n-main`, 0, 0)
    expect(run('log --session main').status).toBe(8)
    const { status, stdout } = run('doctor')
    expect([status, stdout]).toEqual([
      8,
      expect.stringMatching(/"name":"workspace","status":"bad","found":"cannot read/),
    ])
  } finally {
    for (const folder of [spool, `${shared.dir}/.steadfold/names/n-main`]) fs.chmodSync(folder, 0o700)
    shared.remove()
  }
})

test('where a session is of another user, as one that sudo began, the others are no worse for it, and it says so', () => {
  const shared = new Place()
  let foreign = ''
  try {
    shared.data('session', 'create', 'main')
    const run = byTheirOwner(shared)
    const { session } = shared.data<{ readonly session: { readonly id: string } }>('session', 'create', 'foreign')
    foreign = `${shared.dir}/.steadfold/sessions/${session.id}`
    if (!asRoot) fs.chmodSync(foreign, 0)
    const listed = run('session list')
    expect([listed.status, listed.stderr]).toEqual([0, expect.stringContaining(`${session.id} is left out: cannot`)])
    const need = { kind: 'DAMAGED', session: session.id, why: 'unreadable: EACCES' }
    expect(JSON.parse(run('inbox').stdout)).toMatchObject({ data: [need] })
    expect(JSON.parse(run('status').stdout)).toMatchObject({ data: { needs_you: [need], idle: [{ name: 'main' }] } })
    const why = { session: session.id, reason: expect.stringContaining('cannot') as unknown }
    expect(JSON.parse(run('recover').stdout)).toMatchObject({ data: { sessions: [], unclear: [why] } })
    const { status, stdout, stderr } = run('doctor')
    const found = expect.stringContaining(`1 active; 1 cannot be read: ${session.id}: cannot`) as unknown
    const check = { name: 'sessions', status: 'bad', found, hint: expect.stringContaining('owner and mode') as unknown }
    expect([status, JSON.parse(stdout)]).toMatchObject([
      8,
      { data: { checks: expect.arrayContaining([expect.objectContaining(check)]) as unknown } },
    ])
    expect(stderr.match(/is left out/g)).toHaveLength(1)
    for (const line of [
      'state set data.topic auth MAIN',
      'once MAIN paid -- echo paid',
      'task add one MAIN',
      'log MAIN',
    ]) {
      expect([line, run(line.replace(' MAIN', '')).status]).toEqual([line, 4])
      const named = run(line.replace('MAIN', '--session main'))
      expect([line, named.status], named.stderr).toEqual([line, 0])
    }
    for (const line of ['verify', `log --session ${session.id}`]) expect([line, run(line).status]).toEqual([line, 8])
  } finally {
    fs.chmodSync(foreign, 0o700)
    shared.remove()
  }
})
