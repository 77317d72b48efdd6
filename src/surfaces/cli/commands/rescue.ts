/** Copies of sessions of agent CLIs that are damaged, or about to be deleted. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { EngineError } from '../../../kernel/error.ts'
import { errnoOf } from '../../../kernel/system-error.ts'
import type { StoreReport } from '../agents/finding.ts'
import type { App } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { stateFolder } from '../context/home.ts'
import { isOn, textOf } from '../context/input.ts'
import { makeFolders } from '../context/landing.ts'
import { orRefused } from '../context/refusing.ts'
import { EXIT_PARTIAL } from '../context/result.ts'
import { count, plain } from '../show/text.ts'
import type { Command } from '../syntax/command.ts'

/** A time that is set loses what is less than a millisecond. */
const ROUNDED_MS = 2

interface Copy {
  readonly from: string
  readonly to: string
}

interface Copied extends Copy {
  /** It was written while it was copied. */
  readonly changed?: true
}

interface Failed extends Copy {
  readonly error: EngineError
}

export const rescue: Command<App> = {
  name: 'rescue',
  summary: 'copy sessions of agent CLIs that doctor found in danger',
  examples: ['rescue --dry-run', 'rescue', 'rescue --all --to ~/backup/agents'],
  notes:
    'The stores of the agent CLIs are only read. A copy that is there already stays; a file that has changed since gets a copy of its own. Exit 10: some could not be copied.',
  parameters: [],
  flags: [
    {
      name: 'to',
      field: 'to',
      type: 'text',
      value: 'DIR',
      summary: 'where the copies go; ~/.local/state/steadfold/rescued when left out',
    },
    { name: 'all', field: 'all', type: 'boolean', summary: 'every session, not only those in danger' },
    {
      name: 'dry-run',
      short: 'n',
      field: 'dryRun',
      type: 'boolean',
      summary: 'say what would be copied, and copy nothing',
    },
  ],
  shares: [],
  run: async (context, input) => {
    const { lookAtStores } = await import('../agents/stores.ts')
    const folder = path.resolve(context.cwd, textOf(input, 'to') ?? defaultFolder(context))
    const dryRun = isOn(input, 'dryRun')
    const tried = lookAtStores(context, Date.now())
      .flatMap((report) => copiesOf(report, folder, isOn(input, 'all')))
      .flatMap((copy) => oneOf(copy, dryRun))
    const copies = tried.filter((each) => !isFailed(each))
    const failed = tried.filter(isFailed)
    if (copies.length === 0 && failed[0] !== undefined) throw failed[0].error
    const done = `${dryRun ? 'would copy' : 'copied'} ${count(copies.length, 'file')} to ${plain(folder)}`
    return {
      data: {
        dry_run: dryRun,
        folder,
        copies,
        failed: failed.map(({ error, ...copy }) => ({ ...copy, error: error.message })),
      },
      text: () =>
        tried.length === 0
          ? 'nothing to copy'
          : [...copies.map(lineOf), done, ...failed.map(({ error }) => `not copied: ${plain(error.message)}`)].join(
              '\n',
            ),
      exit: failed.length > 0 ? EXIT_PARTIAL : 0,
    }
  },
}

const defaultFolder = ({ env }: Context): string => path.join(stateFolder(env), 'rescued')

const lineOf = ({ from, changed }: Copied): string =>
  plain(from) + (changed === true ? '  was written while it was copied: end its program, then copy it again' : '')

/** Files that belong together are all copied, each time into a folder of their own. */
function copiesOf(report: StoreReport, to: string, all: boolean): readonly Copy[] {
  const { store, root, files, folder, findings } = report
  const isWhole = all || (folder !== undefined && findings.length > 0)
  const wanted = isWhole ? files : [...new Set(findings.map(({ file }) => file))]
  return wanted.map((from) => ({ from, to: path.join(to, store, folder ?? '', path.relative(root, from)) }))
}

const isFailed = (tried: Copied | Failed): tried is Failed => 'error' in tried

/** One that cannot be copied keeps no other from it. */
function oneOf(copy: Copy, dryRun: boolean): readonly (Copied | Failed)[] {
  const { from, to } = copy
  try {
    const due = orRefused(`cannot copy to ${to}`, () => unlessThere(copy))
    return dryRun ? due : due.map((each) => orRefused(`cannot copy ${from} to ${each.to}`, () => copyFile(each)))
  } catch (error) {
    if (error instanceof EngineError) return [{ ...copy, error }]
    throw error
  }
}

/** The first place that is free; none when the same file is there already. */
function unlessThere({ from, to }: Copy): readonly Copy[] {
  const own = fs.lstatSync(from, { throwIfNoEntry: false })
  if (own === undefined) return []
  for (let n = 0; n < 1000; n++) {
    const place = n === 0 ? to : `${to}.${n}`
    const there = fs.lstatSync(place, { throwIfNoEntry: false })
    if (there === undefined) return [{ from, to: place }]
    if (there.size === own.size && Math.abs(there.mtimeMs - own.mtimeMs) < ROUNDED_MS) return []
  }
  throw new EngineError('STORE_UNAVAILABLE', `there are 1,000 copies of ${from}`, {
    hint: 'name another folder with --to',
  })
}

function copyFile(copy: Copy): Copied {
  const { from, to } = copy
  makeFolders(path.dirname(to), 0o700)
  const { atime, mtime, mtimeMs, size } = fs.lstatSync(from)
  try {
    fs.copyFileSync(from, to, fs.constants.COPYFILE_EXCL)
    fs.chmodSync(to, 0o600)
    fs.utimesSync(to, atime, mtime)
  } catch (error) {
    // Half of it is no copy.
    if (errnoOf(error) !== 'EEXIST') fs.rmSync(to, { force: true })
    throw error
  }
  const after = fs.lstatSync(from)
  return after.size === size && after.mtimeMs === mtimeMs ? copy : { ...copy, changed: true }
}
