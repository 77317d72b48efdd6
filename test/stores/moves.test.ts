/* T2: what owns a session is the workspace, which in a database is the same from every machine. */
import { expect, test } from 'vitest'
import { bothServers } from '../servers/both.ts'
import { hasNats } from '../servers/nats.ts'
import { hasPostgres } from '../servers/postgres.ts'
import { User } from './user.ts'

const servers = bothServers()

const stores = [
  ['postgres', hasPostgres, () => `${servers.postgres}?namespace=moves`],
  ['nats', hasNats, () => `${servers.nats}?namespace=moves`],
] as const

function did(user: User, line: string): string {
  const { status, out, err } = user.run(line.split(' '))
  expect(status, `${line}\n${out}\n${err}`).toBe(0)
  return out
}

/** Who knows the others, on a machine of their own. */
function people(...urls: readonly string[]): readonly User[] {
  const users = urls.map((url) => new User(url, 'flag'))
  for (const user of users) did(user, 'init')
  const cards = users.map((user, i) => did(user, `key create u${i}`).split('\n')[0] ?? '')
  for (const user of users) for (const card of cards) did(user, `key trust ${card}`)
  return users
}

test.each(stores)('a session that arrived in %s takes writes from every machine', (_name, isThere, url) => {
  if (!isThere) return
  const [laptop, desk, other] = people('', url(), url())
  if (laptop === undefined || desk === undefined || other === undefined) throw new Error('there are three')
  try {
    const file = `${desk.place.dir}/b.steadfold`
    did(laptop, 'session create build')
    did(laptop, `teleport send build --recipient u1 --out ${file}`)
    expect(did(desk, `teleport receive ${file}`)).toContain(
      `cd ${desk.place.dir} && steadfold status --session build --dir `,
    )
    for (const user of [desk, other]) did(user, 'state set data.topic auth --session build')
    expect(laptop.run(['state', 'set', 'data.topic', 'x', '--session', 'build']).status).toBe(6)
    did(other, `teleport send build --recipient u0 --out ${file} --force`)
    expect(desk.run(['state', 'set', 'data.topic', 'x', '--session', 'build']).status).toBe(6)
    did(laptop, `teleport receive ${file}`)
    did(laptop, 'state set data.topic back --session build')
  } finally {
    for (const user of [laptop, desk, other]) user.remove()
  }
})

test.each(stores)('a session that was taken back in %s takes writes from every machine', (_name, isThere, url) => {
  if (!isThere) return
  const [desk, other] = people(url(), url())
  if (desk === undefined || other === undefined) throw new Error('there are two')
  try {
    did(desk, 'session create mine')
    did(desk, 'teleport send mine --recipient u1')
    did(other, 'teleport cancel mine')
    for (const user of [desk, other]) did(user, 'state set data.topic auth --session mine')
  } finally {
    for (const user of [desk, other]) user.remove()
  }
})

test.each(stores)('of a session in %s the project lies where the commands run', (_name, isThere, url) => {
  if (!isThere) return
  const [desk] = people(url())
  if (desk === undefined) throw new Error('there is one')
  const { dir } = desk.place
  try {
    desk.place.shell(
      "git init -q . && echo a > a && echo '*-home' > .gitignore && git add . && git -c user.name=a -c user.email=a@b commit -qm a && echo b > a",
    )
    did(desk, 'session create apart')
    did(desk, `teleport send apart --recipient u0 --patch --out ${dir}/b.steadfold`)
    expect(did(desk, `bundle inspect ${dir}/b.steadfold --json`)).toContain(`"project":"${dir}"`)
  } finally {
    desk.remove()
  }
})

test.each(stores)('what went on apart from a session in %s is taken once that is put away', (_name, isThere, url) => {
  if (!isThere) return
  const [laptop, desk] = people('', url())
  if (laptop === undefined || desk === undefined) throw new Error('there are two')
  try {
    for (const user of [laptop, desk]) did(user, `remote add both ${laptop.place.dir} --open`)
    did(laptop, 'session create both')
    did(laptop, 'push both')
    did(desk, 'pull both')
    for (const user of [laptop, desk]) did(user, `state set data.by ${user === desk} --session both`)
    did(laptop, 'push both')
    const { status, err } = desk.run(['pull', 'both'])
    expect([status, /then take theirs: (.*)/.exec(err)?.[1]?.includes('--theirs')]).toEqual([5, false])
    expect(desk.run(['pull', 'both', '--theirs']).err).toMatch(
      /next: steadfold session end (?:--dir \S+ )?\S+ && steadfold session archive/,
    )
    for (const line of ['session end both', 'session archive both', 'pull both']) did(desk, line)
    expect(did(desk, 'state get data.by --session both')).toContain('false')
  } finally {
    for (const user of [laptop, desk]) user.remove()
  }
})
