/* The commits of a session as they come, told while somebody else works on it. */
import { once } from 'node:events'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { until } from '../until.ts'
import { Place } from './binary.ts'

let place: Place
beforeEach(() => {
  place = new Place()
  place.data('session', 'create', 'main')
})
afterEach(() => place.remove())

/** What `tail` says until `last` is told. */
async function told(last: string, between: () => void, ...args: readonly string[]) {
  const child = place.start('tail', ...args)
  const said = { out: '', err: '' }
  child.stdout.on('data', (chunk: Buffer) => (said.out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (said.err += chunk.toString()))
  const closed = once(child, 'close')
  await until(() => said.out !== '')
  between()
  await until(() => said.out.includes(last))
  child.kill('SIGINT')
  await closed
  return said
}

test('steps that began since have their names, and the end says what was told', async () => {
  const { out, err } = await told('finished ', () => place.run('once', 'lint', '--', 'true'))
  expect(out).toMatch(/finished lint in /)
  const last = out.trimEnd().split('\n').at(-1)?.trim().split(' ')[0]
  expect(err).toBe(`stopped; everything up to seq ${last} is durable\n`)
})

test('it begins with the last that fit, wherever they stand', async () => {
  for (const id of ['a', 'b', 'c']) place.data('task', 'add', id)
  for (let i = 0; i < 3; i++) place.data('state', 'set', 'data.x', String(i))
  const ops = async (...args: readonly string[]) => {
    const { out } = await told('task-4', () => place.data('task', 'add', 'd'), '--op', 'task.*', '--json', ...args)
    return out.split('\n').flatMap((line) => /"seq":(\d+),"at"/.exec(line)?.slice(1) ?? [])
  }
  expect(await ops('-n', '2')).toEqual(['3', '4', '8'])
})

test('of a session that is archived meanwhile it says where that is', async () => {
  const child = place.start('tail')
  const said = { out: '', err: '' }
  child.stdout.on('data', (chunk: Buffer) => (said.out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (said.err += chunk.toString()))
  const closed = once(child, 'close')
  await until(() => said.out !== '')
  for (const verb of ['end', 'archive']) place.data('session', verb, 'main')
  expect(await closed).toEqual([3, null])
  expect(said.err).toMatch(/^error: session "main" is archived\nnext: steadfold session show main --archived/)
})
