/* Repair as a command mends what verify finds. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { filesKernel, makeWorkspace } from '../../src/compose.ts'
import { verifySession } from '../../src/kernel/care/verify.ts'
import { Batch } from '../../src/kernel/log/batch.ts'
import { makeCheckpoint } from '../../src/kernel/replica/make-checkpoint.ts'
import { Place } from './binary.ts'

const place = new Place()
afterAll(() => place.remove())

const kernelOf = () => filesKernel(path.join(place.dir, '.steadfold'), { checkpoints: false })

/** A commit whose hash checks, and which no program of this format would write. */
async function poison(id: string): Promise<void> {
  const kernel = kernelOf()
  const { seq, position } = await makeWorkspace(kernel).session(id)
  const [at, actor] = ['2100-01-01T00:00:00.000Z', 'agent:x']
  const batch = new Batch(kernel.host.sha256)
  const head = `{"v":1,"seq":${seq + 1},"at":"${at}","id":"${id}","actor":"${actor}","op":"state.set","cause":null`
  batch.add(
    { seq: seq + 1, at, id, actor, op: 'state.set', cause: null, events: [] },
    `${head},"events":[{"type":"data.set","data":{}}],"prev":"${position.hash}"`,
  )
  await kernel.log.append(id, batch, position, { durability: 'durable' })
  await kernel.log.close()
}

test('what only verify --deep finds is repaired, too', async () => {
  const { session } = place.data<{ readonly session: { readonly id: string } }>('session', 'create', 'bad')
  place.run('state', 'set', 'data.a', '1')
  await poison(session.id)
  expect(place.run('session', 'list').err).toMatch(/^warning: session \S+ is left out: /)
  const told = place.run('verify', '--deep')
  expect([told.status, told.out]).toEqual([9, expect.stringContaining(`steadfold repair ${session.id}`)])
  expect(place.run('repair', session.id, '--dry-run').out).toContain('would keep 2 commits')
  expect(place.run('repair', session.id).out).toContain('kept 2 commits; the repair is commit 3')
  expect(place.run('verify', '--deep').status).toBe(0)
  expect(place.run('state', 'get', 'data.a').out).toBe('1\n')
})

test('a repair that was killed behind its cut is told of by the next one', async () => {
  const { session } = place.data<{ readonly session: { readonly id: string } }>('session', 'create', 'cut')
  for (const value of ['1', '2', '3']) place.run('state', 'set', 'data.a', value, '--session', 'cut')
  const file = path.join(place.dir, '.steadfold/sessions', session.id, 'log', `${'1'.padStart(20, '0')}.jsonl`)
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"value":2', '"value":7'))
  const { error } = await verifySession(kernelOf(), session.id)
  if (error === undefined) throw new Error('it is damaged')
  await kernelOf().log.repair?.(session.id, error, error)
  const told = place.run('verify', '--session', 'cut')
  expect([told.status, told.out]).toEqual([
    0,
    expect.stringMatching(
      /\n {2}a repair that was cut short took away what stood from commit 3 on: .*\nnext: .* repair cut\n$/,
    ),
  ])
  expect(place.run('repair', 'cut', '--dry-run').out).toMatch(/^would tell of a repair that was cut short/)
  expect(place.run('repair', 'cut').out).toMatch(/^kept 2 commits; the repair is commit 3\nset aside:\n {2}.*\.jsonl\n/)
  expect(place.run('repair', 'cut').out).toBe('nothing to do: the log is sound\n')
  expect(place.run('verify', '--session', 'cut').out).toMatch(/^[^\n]*\n$/)
})

test('who would archive a damaged session is told to repair it first', () => {
  const { session } = place.data<{ readonly session: { readonly id: string } }>('session', 'create', 'torn')
  for (const value of ['1', '2', '3']) place.data('state', 'set', 'data.a', value, '-s', 'torn')
  const log = path.join(place.dir, '.steadfold/sessions', session.id, 'log/00000000000000000001.jsonl')
  fs.writeFileSync(log, fs.readFileSync(log, 'utf8').replace('"value":2', '"value":7'))
  expect(place.run('session', 'archive', 'torn').err).toMatch(
    /session torn is damaged; .*\nnext: steadfold repair torn\n/,
  )
  for (const words of [['repair'], ['session', 'end'], ['session', 'archive']]) place.data(...words, 'torn')
})

test('a log that goes on in a newer version is not called damaged, and not cut without a word of that', () => {
  const { session } = place.data<{ readonly session: { readonly id: string } }>('session', 'create', 'newer')
  const file = path.join(place.dir, '.steadfold/sessions', session.id, 'log', `${'1'.padStart(20, '0')}.jsonl`)
  fs.appendFileSync(file, fs.readFileSync(file, 'utf8').replace('{"v":1,"seq":1,', '{"v":2,"seq":2,'))
  const told = place.run('verify', '--session', 'newer')
  expect([told.status, told.out]).toEqual([
    9,
    expect.stringMatching(/NEWER version(.*\n)+next: open it with the newer/),
  ])
  expect(JSON.parse(place.run('verify', '--session', 'newer', '--json').out)).toMatchObject({
    data: [{ ok: false, error: { code: 'VERSION_UNKNOWN', seq: 2 } }],
  })
  const write = place.run('state', 'set', 'data.a', '1', '--session', 'newer', '--json')
  expect([write.status, JSON.parse(write.out)]).toMatchObject([9, { error: { code: 'VERSION_UNKNOWN' } }])
  const read = place.run('state', 'get', 'session.name', '--session', 'newer')
  expect([read.out, read.err]).toEqual(['newer\n', expect.stringContaining('of a newer version from commit 2 on')])
})

test('a session whose log is gone is listed, and named as damaged', () => {
  const { session } = place.data<{ readonly session: { readonly id: string } }>('session', 'create', 'lost')
  fs.rmSync(path.join(place.dir, '.steadfold/sessions', session.id, 'log'), { recursive: true })
  const line = { id: session.id, name: session.id, status: 'damaged', seq: 0, updated_at: null }
  expect(place.data('session', 'list', '--status', 'damaged')).toContainEqual(expect.objectContaining(line))
  expect(place.data('session', 'list', '--status', 'active')).not.toContainEqual(expect.objectContaining(line))
  expect(place.run('session', 'list').out).toMatch(new RegExp(`^${session.id}  damaged  `, 'm'))
  const shown = place.run('session', 'show', session.id)
  expect([shown.status, shown.err]).toEqual([9, expect.stringContaining('is damaged: its log is gone')])
  expect(place.run('verify', '--session', session.id).out).toContain('its log is gone')
})

test('a session whose log was emptied is told of once, as damaged', () => {
  const { session } = place.data<{ readonly session: { readonly id: string } }>('session', 'create', 'emptied')
  const log = path.join(place.dir, '.steadfold/sessions', session.id, 'log')
  for (const name of fs.readdirSync(log)) fs.rmSync(path.join(log, name))
  const { data } = JSON.parse(place.run('verify', '--json').out) as { readonly data: readonly { session: string }[] }
  expect(data.filter((each) => each.session === session.id)).toMatchObject([
    { ok: false, error: { reason: 'its log is gone' } },
  ])
})

test('a session whose log cannot be read keeps nobody from the others', async () => {
  const partly = new Place()
  const { session } = partly.data<{ readonly session: { readonly id: string } }>('session', 'create', 'shut')
  await makeCheckpoint(filesKernel(path.join(partly.dir, '.steadfold')), session.id)
  const folder = path.join(partly.dir, '.steadfold/sessions', session.id)
  expect(fs.readdirSync(folder)).toContain('checkpoint.json')
  const file = path.join(folder, 'log', `${'1'.padStart(20, '0')}.jsonl`)
  // No owner may read a folder as a file.
  fs.rmSync(file)
  fs.mkdirSync(file)
  partly.run('session', 'create', 'open')
  for (const line of ['session list', 'recover']) {
    const { status, err } = partly.run(...line.split(' '))
    expect([line, status, err]).toEqual([line, 0, expect.stringContaining(session.id)])
  }
  const need = new RegExp(
    `DAMAGED .*${session.id}  log  unreadable: EISDIR .*\\s *steadfold verify --session ${session.id}\n`,
  )
  for (const line of ['status', 'inbox', 'watch --once'])
    expect([line, partly.run(...line.split(' '))]).toEqual([
      line,
      { status: 0, out: expect.stringMatching(need), err: '' },
    ])
  expect(partly.run('health')).toMatchObject({
    status: 9,
    out: expect.stringMatching(new RegExp(`^fail +damage .*${session.id}\n`)) as unknown,
  })
  expect(partly.run('session', 'list').out).toMatch(/^open /)
  expect(partly.run('doctor').out).toMatch(/^bad +sessions +1 session: 1 active; 1 cannot be read/m)
  const told = partly.run('verify')
  expect([told.status, told.out]).toEqual([
    8,
    expect.stringMatching(
      new RegExp(`^${session.id} .* cannot be read\\n  cannot read .*\\nopen  .* chain ok [^]*\\nnext: a folder `),
    ),
  ])
  expect(JSON.parse(partly.run('verify', '--json').out)).toMatchObject({
    data: [
      { ok: false, checkpoint: 'unread', error: { code: 'STORE_UNAVAILABLE', hint: expect.any(String) as unknown } },
      { ok: true, name: 'open' },
    ],
  })
  for (const line of ['state get data --session shut', 'repair shut', `repair ${session.id}`]) {
    const { status, err } = partly.run(...line.split(' '))
    expect([line, status, err]).toEqual([
      line,
      8,
      expect.stringMatching(/^error: cannot read [^]*\nnext: a folder stands where a file of the workspace belongs/),
    ])
  }
  expect(partly.run('state', 'set', 'data.a', '2').status).toBe(4)
  expect(partly.run('state', 'set', 'data.a', '2', '--session', 'open').status).toBe(0)
  partly.remove()
})

test('a session whose log is damaged is as active as it was: nothing is written into another instead', () => {
  const two = new Place()
  const { session } = two.data<{ readonly session: { readonly id: string } }>('session', 'create', 'a')
  two.data('session', 'create', 'b')
  for (const value of ['1', '2']) two.data('state', 'set', 'data.x', value, '--session', 'a')
  const file = path.join(two.dir, '.steadfold/sessions', session.id, 'log', `${'1'.padStart(20, '0')}.jsonl`)
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"value":1', '"value":7'))
  const { status, err } = two.run('state', 'set', 'data.y', '1')
  expect([status, err]).toEqual([4, expect.stringMatching(/which session\? 2 are active\n {2}a .* seq 1, damaged\n/)])
  two.data('session', 'end', '--session', 'b')
  expect(two.run('state', 'set', 'data.y', '1').status).toBe(9)
  two.remove()
})

test('blobs that the state names and that are gone or altered are named, and once does not call them cut', () => {
  const kept = new Place()
  const { session } = kept.data<{ readonly session: { readonly id: string } }>('session', 'create', 'kept')
  const once = (...more: readonly string[]) => kept.run('once', 'work', ...more, '--', 'sh', '-c', 'seq 1 30000')
  once()
  const blobs = path.join(kept.dir, '.steadfold/sessions', session.id, 'blobs')
  const [name = ''] = fs.readdirSync(blobs, { recursive: true, encoding: 'utf8' }).filter((each) => each.length > 64)
  const sha256 = path.basename(name)
  const advice = expect.stringContaining(
    `next: bring .steadfold/sessions/${session.id}/blobs back from a copy`,
  ) as unknown
  const lost = (why: string) => ({
    ok: false,
    lost: [{ path: expect.stringContaining('.result.stdout'), sha256, why }],
  })
  const found = (...how: readonly string[]) => {
    const { status, out } = kept.run('verify', ...how, '--json')
    return [status, (JSON.parse(out) as { readonly data: readonly unknown[] }).data[0]]
  }
  expect(found('--deep')).toMatchObject([0, { ok: true }])
  fs.appendFileSync(path.join(blobs, name), 'more')
  expect(found()).toMatchObject([0, { ok: true }])
  expect(found('--deep')).toMatchObject([9, lost('altered')])
  fs.rmSync(blobs, { recursive: true })
  for (const how of [[], ['--deep']]) {
    expect(found(...how)).toMatchObject([9, lost('missing')])
    expect(kept.run('verify', ...how)).toMatchObject({ status: 9, out: advice })
  }
  expect(kept.data('doctor')).toMatchObject({
    checks: expect.arrayContaining([expect.objectContaining({ name: 'references', status: 'warn' })]) as unknown,
  })
  expect(once()).toMatchObject({ status: 0, out: '', err: expect.stringContaining('its stdout is lost') as unknown })
  expect(once().err).not.toContain('only the end is kept')
  expect(JSON.parse(once('--json').out)).toMatchObject({ data: { exit: 0, lost: ['stdout'] } })
  kept.remove()
})

test.each([['and a checkpoint', 'ahead'] as const, ['and no checkpoint', 'none'] as const])(
  'a session without its log %s is one session with one advice, by its id and by its name',
  async (_, checkpoint) => {
    const gone = new Place()
    const { session } = gone.data<{ readonly session: { readonly id: string } }>('session', 'create', 'gone')
    const folder = path.join(gone.dir, '.steadfold/sessions', session.id)
    if (checkpoint === 'ahead') await makeCheckpoint(filesKernel(path.join(gone.dir, '.steadfold')), session.id)
    for (const name of fs.readdirSync(path.join(folder, 'log'))) fs.rmSync(path.join(folder, 'log', name))
    expect(gone.data('session', 'list')).toMatchObject([{ id: session.id, status: 'damaged' }])
    expect(gone.run('doctor')).toMatchObject({
      status: 9,
      out: expect.stringMatching(/^bad +sessions +1 session: 1 damaged$/m),
    })
    expect(gone.run('recover')).toMatchObject({
      out: 'nothing else is lost\n',
      err: expect.stringContaining(session.id),
    })
    const advice = `next: bring .steadfold/sessions/${session.id}/log back from a copy; without it nothing can be rebuilt\n`
    for (const named of [[], ['--session', session.id], ['--session', 'gone']]) {
      const told = gone.run('verify', ...named)
      expect(told).toMatchObject({ status: 9, out: expect.stringContaining(advice) as unknown })
      expect(told.out).toContain(checkpoint === 'ahead' ? 'checkpoint AHEAD of the log' : 'no checkpoint')
      for (const line of ['state get', 'state set data.x 1'])
        expect(gone.run(...line.split(' '), ...named)).toMatchObject({
          status: 9,
          err: expect.stringContaining(advice),
        })
    }
    for (const named of ['gone', session.id])
      expect(gone.run('repair', named)).toMatchObject({ status: 9, err: expect.stringContaining(advice) as unknown })
    expect(fs.readdirSync(folder)).not.toContain('damaged')
    gone.remove()
  },
)

test('a repair says what goes, by what the lines behind the damage claim to be', () => {
  const cut = new Place()
  const { session } = cut.data<{ readonly session: { readonly id: string } }>('session', 'create', 'cut')
  for (const value of ['1', '2', '3', '4']) cut.run('state', 'set', 'data.a', value)
  const file = path.join(cut.dir, '.steadfold/sessions', session.id, 'log', `${'1'.padStart(20, '0')}.jsonl`)
  fs.writeFileSync(file, `${fs.readFileSync(file, 'utf8').replace('"value":2', '"value":7')}\nnoise`)
  const claimed = { lines: 4, commits: 3, from: 3, to: 5 }
  expect(cut.data('repair', 'cut', '--dry-run')).toMatchObject({ dry_run: true, cut: claimed })
  expect(cut.run('repair', 'cut', '-n').out).toMatch(/^would keep 2 commits, cut 3 commits, 3 to 5; 1 more line,/)
  fs.cpSync(path.join(cut.dir, '.steadfold'), path.join(cut.dir, 'copy'), { recursive: true })
  expect(cut.data('repair', 'cut')).toMatchObject({ repaired: true, kept: 2, seq: 3, cut: claimed })
  fs.rmSync(path.join(cut.dir, '.steadfold'), { recursive: true })
  fs.renameSync(path.join(cut.dir, 'copy'), path.join(cut.dir, '.steadfold'))
  expect(cut.run('repair', 'cut').out).toMatch(
    /^kept 2 commits; the repair is commit 3\ncut 3 commits, 3 to 5; 1 more line\nset aside:\n/,
  )
  cut.remove()
})

test('verify claims of no last line that nothing was lost with it: it may have been altered', () => {
  const last = new Place()
  const { session } = last.data<{ readonly session: { readonly id: string } }>('session', 'create', 'last')
  last.run('state', 'set', 'data.b', '100')
  const file = path.join(last.dir, '.steadfold/sessions', session.id, 'log', `${'1'.padStart(20, '0')}.jsonl`)
  const text = fs.readFileSync(file, 'utf8')
  fs.writeFileSync(file, text.slice(0, -40))
  expect(last.run('verify')).toMatchObject({
    status: 0,
    out: expect.stringMatching(/never finished, or was altered/) as unknown,
  })
  fs.writeFileSync(file, text.replace('"value":100', '"value":900'))
  const told = last.run('verify')
  expect(told).toMatchObject({
    status: 9,
    out: expect.stringContaining('commit 2 whose hash is not that of its bytes') as unknown,
  })
  expect(told.out).toContain('next: steadfold repair last --dry-run says what it would cut; steadfold repair last\n')
  last.run('state', 'set', 'data.c', '1')
  expect(last.run('verify')).toMatchObject({
    status: 0,
    out: expect.stringContaining('altered: the log went on without it') as unknown,
  })
  last.remove()
})
