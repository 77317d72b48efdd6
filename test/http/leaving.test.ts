/* What becomes of a session without a commit that says so: readers of the stream are told, and the other sessions are read. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { filesKernel } from '../../src/compose.ts'
import { repairSession } from '../../src/kernel/care/repair.ts'
import { following, Served, standing, type Message } from './served.ts'

let served: Served
let stream: AsyncGenerator<Message>
let file = ''
let id = ''

beforeEach(async () => {
  served = await Served.open()
  for (const name of ['other', 'build']) await served.data('POST', '/v1/sessions', { body: { name } })
  for (const value of ['one', 'two']) await set(value, 'other')
  await set('one')
  const session = await served.workspace.session('build')
  ;({ id } = session)
  await session.close()
  const folder = path.join(served.dir, '.steadfold', 'sessions', id, 'log')
  file = path.join(folder, fs.readdirSync(folder)[0] ?? '')
  stream = served.messages('/v1/stream')
  await stream.next()
})
afterEach(() => served.remove())

const set = (value: string, name = 'build') =>
  served.data('POST', `/v1/sessions/${name}/state.set`, { body: { path: 'data.x', value } })
const names = async (target: string) =>
  (await served.data<readonly { readonly name: string }[]>('GET', target)).map(({ name }) => name).toSorted()
const status = async () => (await served.data<{ readonly status: string }>('GET', `/v1/sessions/${id}`)).status
/** The third commit of another session, which does not follow the second of this one. */
function spoil(): void {
  const sessions = path.join(served.dir, '.steadfold', 'sessions')
  const other = fs.readdirSync(sessions).find((each) => each !== id) ?? ''
  const line = fs.readFileSync(path.join(sessions, other, 'log', path.basename(file)), 'utf8').split('\n')[2] ?? ''
  fs.appendFileSync(file, `${line}\n`)
}
const mend = () => repairSession(filesKernel(path.join(served.dir, '.steadfold')), id)

/** The next reset; commits before it are passed over. */
async function reset(): Promise<Message | undefined> {
  for (;;) {
    const message = await following(stream)
    if (message?.type !== 'commit') return message
  }
}

test('H5. one whose files are taken away is not among those of a reset', async () => {
  fs.rmSync(path.dirname(path.dirname(file)), { recursive: true })
  let told = await reset()
  while (told?.sessions?.[id] !== undefined) told = await reset()
  expect(told).toMatchObject({ type: 'reset' })
  expect(await names('/v1/sessions')).toEqual(['other'])
})

test('one whose log is taken away needs somebody, and is no health', async () => {
  fs.rmSync(path.dirname(file), { recursive: true })
  await reset()
  expect(await served.data('GET', '/v1/inbox')).toMatchObject({
    needs_you: [{ kind: 'DAMAGED', session: id, why: 'its log is gone', next: `steadfold verify --session ${id}` }],
    idle: [{ name: 'other' }],
  })
  expect(await served.data('GET', '/v1/health')).toMatchObject({ status: 'fail' })
})

test('an agent that began in no session needs somebody', async () => {
  const spool = path.join(served.dir, '.steadfold', 'spool')
  const told = '{"session_id":"a-1","hook_event_name":"SessionStart"}'
  const head = 'steadfold-fact 1\nsession: \nactor: tool:hook\nop: activity.record\nname: claude\n'
  fs.mkdirSync(spool, { mode: 0o700 })
  fs.writeFileSync(path.join(spool, '10-1.fact'), `${head}\n${told}\n#end\n`)
  expect(await served.data('GET', '/v1/inbox')).toMatchObject({ needs_you: [{ kind: 'ASK', what: 'claude a-1' }] })
})

test('H5. one that had ended is told of when it is put away, and when it comes back', async () => {
  const workspace = served.workspace
  await served.data('POST', '/v1/sessions/build/session.end', { body: {} })
  const session = await workspace.session('build')
  await workspace.archive(session)
  expect((await reset())?.type).toBe('reset')
  expect(await names('/v1/sessions')).toEqual(['other'])
  await (await workspace.unarchive('build')).close()
  expect((await reset())?.type).toBe('reset')
  expect(await names('/v1/sessions')).toEqual(['build', 'other'])
})

test('H5. one that is damaged while it is followed is told of, and goes on when it was repaired', async () => {
  spoil()
  expect(await reset()).toMatchObject({ type: 'reset', sessions: { [id]: 2 } })
  expect(await status()).toBe('damaged')
  await mend()
  expect((await reset())?.type).toBe('reset')
  expect(await status()).toBe('active')
  await set('two')
  await standing(stream, id, 4)
})

test('H5. one that cannot be read now is left out of lists, and the others are in them', async () => {
  const whole = fs.readFileSync(file)
  fs.truncateSync(file, whole.length - 50)
  expect((await reset())?.type).toBe('reset')
  expect(await names('/v1/sessions')).toEqual(['other'])
  expect(await served.data('GET', '/v1/inbox?all')).toMatchObject({ idle: [{ name: 'other' }] })
  expect((await served.ask('GET', '/v1/health')).status).toBe(200)
  fs.writeFileSync(file, whole)
  expect((await reset())?.type).toBe('reset')
  expect(await names('/v1/sessions')).toEqual(['build', 'other'])
})
