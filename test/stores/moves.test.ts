/* T2: what owns a session is the workspace, which in a database is the same from every machine. */
import { afterAll, describe, expect, test } from 'vitest'
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

/** Three who know each other, each on a machine of their own; the last two share the workspace. */
interface People {
  readonly laptop: User
  readonly desk: User
  readonly other: User
}

function people(url: string): People {
  const [laptop, desk, other] = [new User('', 'flag'), new User(url, 'flag'), new User(url, 'flag')]
  const cards = Object.entries({ laptop, desk, other }).map(([name, user]) => {
    did(user, 'init')
    return did(user, `key create ${name}`).split('\n')[0] ?? ''
  })
  for (const user of [laptop, desk, other]) for (const card of cards) did(user, `key trust ${card}`)
  return { laptop, desk, other }
}

describe.each(stores)('in %s', (_name, isThere, url) => {
  let all: People | undefined
  const them = () => (all ??= people(url()))
  afterAll(() => {
    for (const user of Object.values(all ?? {})) user.remove()
  })

  test.skipIf(!isThere)('a session that arrived takes writes from every machine', () => {
    const { laptop, desk, other } = them()
    const file = `${desk.place.dir}/b.steadfold`
    did(laptop, 'session create build')
    did(laptop, `teleport send build --recipient desk --out ${file}`)
    expect(did(desk, `teleport receive ${file}`)).toContain(
      `cd ${desk.place.dir} && steadfold status --session build --dir `,
    )
    for (const user of [desk, other]) did(user, 'state set data.topic auth --session build')
    expect(laptop.run(['state', 'set', 'data.topic', 'x', '--session', 'build']).status).toBe(6)
    did(other, `teleport send build --recipient laptop --out ${file} --force`)
    expect(desk.run(['state', 'set', 'data.topic', 'x', '--session', 'build']).status).toBe(6)
    did(laptop, `teleport receive ${file}`)
    did(laptop, 'state set data.topic back --session build')
  })

  test.skipIf(!isThere)('a session that was taken back takes writes from every machine', () => {
    const { desk, other } = them()
    did(desk, 'session create mine')
    did(desk, 'teleport send mine --recipient laptop')
    did(other, 'teleport cancel mine')
    for (const user of [desk, other]) did(user, 'state set data.topic auth --session mine')
  })

  test.skipIf(!isThere)('the project lies where the commands run', () => {
    const { desk } = them()
    const { dir } = desk.place
    desk.place.shell(
      "git init -q . && echo a > a && echo '*-home' > .gitignore && git add . && git -c user.name=a -c user.email=a@b commit -qm a && echo b > a",
    )
    did(desk, 'session create apart')
    did(desk, `teleport send apart --recipient desk --patch --out ${dir}/c.steadfold`)
    expect(did(desk, `bundle inspect ${dir}/c.steadfold --json`)).toContain(`"project":"${dir}"`)
  })

  test.skipIf(!isThere)('what went on apart is taken once that is put away', () => {
    const { laptop, desk } = them()
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
  })
})
