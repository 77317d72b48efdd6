/* Eight processes make a session of the same name at once. */
import { afterAll, expect, test } from 'vitest'
import { Place } from './binary.ts'

const places: Place[] = []
afterAll(() => places.forEach((place) => place.remove()))

function place(): Place {
  const made = new Place()
  places.push(made)
  return made
}

function ended(child: ReturnType<Place['start']>): Promise<{ readonly status: number | null; readonly out: string }> {
  let out = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  return new Promise((settle) => child.on('close', (status) => settle({ status, out })))
}

test.each([1, 2, 3])(
  'U1 eight processes make one session of a name, and seven are told who has it (round %i)',
  async () => {
    const here = place()
    const done = await Promise.all(
      Array.from({ length: 8 }, () => ended(here.start('session', 'create', 'build', '--json'))),
    )
    expect(
      done
        .map(({ status }) => String(status))
        .toSorted()
        .join(' '),
    ).toBe('0 4 4 4 4 4 4 4')
    const codes = done
      .filter(({ status }) => status === 4)
      .map(({ out }) => JSON.parse(out) as { error: { code: string } })
    expect(new Set(codes.map(({ error }) => error.code))).toEqual(new Set(['NAME_TAKEN']))
    const listed = here.data<readonly { readonly name: string }[]>('session', 'list')
    expect(listed.map(({ name }) => name)).toEqual(['build'])
  },
)

test('U2 a process that is killed while it makes a session leaves the name to the next', async () => {
  const here = place()
  for (let after = 40; after <= 200; after += 20) {
    const child = here.start('session', 'create', 'build')
    const gone = ended(child)
    await new Promise((settle) => setTimeout(settle, after))
    child.kill('SIGKILL')
    await gone
    if (here.data<readonly unknown[]>('session', 'list').length > 0) break
  }
  const { status } = here.run('session', 'create', 'build', '--if-missing')
  expect(status).toBe(0)
  expect(here.data<readonly unknown[]>('session', 'list')).toHaveLength(1)
})

test('of eight processes that add places at once nobody loses what another adds, and one gets a name', async () => {
  const here = place()
  const add = (name: string) => ended(here.start('remote', 'add', name, '/tmp/depot', '--open', '--json'))
  const done = await Promise.all([1, 2, 3, 4, 5, 6, 7, 7].map((n) => add(`p${n}`)))
  expect(done.filter(({ status }) => status === 0)).toHaveLength(7)
  expect(done.filter(({ status }) => status === 4)).toHaveLength(1)
  const listed = here.data<readonly { readonly name: string }[]>('remote', 'list')
  expect(listed.map(({ name }) => name)).toEqual(['p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7'])
})

test('U9 who begins a session only where it is missing is given the one that had the name, until another takes it', () => {
  const here = place()
  const begin = (...words: readonly string[]) =>
    here.data<{ readonly session: { readonly id: string; readonly name: string }; readonly created: boolean }>(
      'session',
      'create',
      ...words,
    )
  const { session } = begin('build')
  here.run('session', 'rename', 'build', 'release')
  expect(begin('build', '--if-missing')).toMatchObject({ session: { id: session.id, name: 'release' }, created: false })
  expect(begin(session.id.slice(0, 8), '--if-missing').created).toBe(true)
  const other = begin('build')
  expect(other.created).toBe(true)
  expect(begin('build', '--if-missing')).toMatchObject({ session: { id: other.session.id }, created: false })
})
