/** Which finished sessions a person has looked at: about the person, so it is kept at home and in no log. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import type { SessionRow } from '../../../kernel/care/inbox.ts'
import type { Context } from './context.ts'
import { stateFolder } from './home.ts'
import { landWhole, makeFolders } from './landing.ts'
import { orRefused } from './refusing.ts'

type Row = Pick<SessionRow, 'id' | 'seq'>

/** Session -> the sequence number it had. */
type Seen = Readonly<Record<string, number>>

/** What came after somebody looked is news. */
export function seenBy({ env }: Pick<Context, 'env'>): (row: Row) => boolean {
  const seen = kept(fileOf(env))
  return ({ id, seq }) => (Object.hasOwn(seen, id) ? (seen[id] ?? -1) : -1) >= seq
}

export function see({ env }: Pick<Context, 'env'>, rows: readonly Row[]): void {
  const file = fileOf(env)
  const next = { ...kept(file), ...Object.fromEntries(rows.map(({ id, seq }) => [id, seq])) }
  orRefused(`cannot keep what you have seen in ${file}`, () => {
    makeFolders(path.dirname(file), 0o700)
    landWhole(file, (temporary) =>
      fs.writeFileSync(temporary, `${JSON.stringify(next)}\n`, { mode: 0o600, flag: 'wx' }),
    )
  })
}

const fileOf = (env: Context['env']): string => path.join(stateFolder(env), 'seen.json')

function kept(file: string): Seen {
  try {
    const value: unknown = JSON.parse(fs.readFileSync(file, 'utf8'))
    // What else than numbers may stand in it never compares as seen.
    return typeof value === 'object' && value !== null ? (value as Seen) : {}
  } catch {
    return {}
  }
}
