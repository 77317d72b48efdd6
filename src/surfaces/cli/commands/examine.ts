/** What must be so for the promises to hold here; each check says what was found and what to do. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { lostBlobs } from '../../../kernel/care/blobs.ts'
import { remains } from '../../../kernel/care/remains.ts'
import { asError, EngineError } from '../../../kernel/error.ts'
import { duration } from '../../../kernel/text/duration.ts'
import { SORTS, type Check } from '../answer/check.ts'
import type { App } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { FOLDER, nameOf, statusOf } from '../context/scope.ts'
import { bytes, count, thousands } from '../show/text.ts'
import { nearIn } from './gc.ts'

const LEAST_NODE = [20, 19]
const LEAST_FREE = 100_000_000
const SYNCS = 20
const MOST_APART_MS = 1000
/** File systems of which it is known that a sync may say yes without a disk, or that locks and appends are not atomic. */
const DOUBTFUL: Readonly<Record<number, string>> = {
  0x01021994: 'tmpfs: gone when the machine stops',
  0x6969: 'NFS: appends of several machines may tear',
  0xff534d42: 'CIFS: appends of several machines may tear',
}

export async function examine(context: Context<App>): Promise<readonly Check[]> {
  const checks = [node(), certificates(context), ...(await agentChecks(context))]
  try {
    return [...checks, ...(await workspaceChecks(context))]
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    const { message: found, hint, code } = error
    const next = hint === undefined ? {} : { hint }
    return [...checks, { name: 'workspace', status: 'bad', found, ...next, ...SORTS[code] }]
  }
}

async function workspaceChecks(context: Context<App>): Promise<readonly Check[]> {
  const folder = path.join(context.dir, FOLDER)
  const opened = [...(await sessions(context)), await references(context), await limits(context)]
  const where = (await store(context)) ?? [...place(folder), sync(folder)]
  return [...where, space(folder), ...opened, await shells(context, folder)]
}

const agentChecks = async (context: Context<App>): Promise<readonly Check[]> =>
  (await import('../agents/checks.ts')).agentStores(context, Date.now())

function node(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const [wantMajor = 0, wantMinor = 0] = LEAST_NODE
  const fits = major > wantMajor || (major === wantMajor && minor >= wantMinor)
  return {
    name: 'node',
    status: fits ? 'ok' : 'bad',
    found: process.version,
    ...(fits ? {} : { hint: `install Node ${LEAST_NODE.join('.')} or newer` }),
  }
}

function certificates({ env }: Context<App>): Check {
  if ((env['NODE_EXTRA_CA_CERTS'] ?? '') === '' || (process.versions.node.split('.').map(Number)[0] ?? 0) >= 22)
    return { name: 'start-up', status: 'ok', found: 'nothing slows it down' }
  return {
    name: 'start-up',
    status: 'warn',
    found: 'NODE_EXTRA_CA_CERTS makes every start of Node slower',
    hint: 'unset it where no network is needed',
  }
}

/** Undefined where the logs are in a folder. */
async function store(context: Context<App>): Promise<readonly Check[] | undefined> {
  const { store: at, log } = (await context.workspace()).kernel
  if (at === undefined) return undefined
  const began = performance.now()
  for (let i = 0; i < SYNCS; i++) await log.exists('doctor')
  const each = (performance.now() - began) / SYNCS
  const apart = Math.abs(at.ahead)
  return [
    { name: 'workspace', status: 'ok', found: `answers in ${each.toFixed(2)} ms: ${at.shown}` },
    ...at.doubts.map((found) => ({ name: 'power cut', status: 'warn' as const, found })),
    {
      name: 'clock',
      status: apart > MOST_APART_MS ? 'warn' : 'ok',
      found: `${apart} ms ${at.ahead < 0 ? 'ahead of' : 'behind'} the store, whose clock counts`,
      ...(apart > MOST_APART_MS ? { hint: 'set the clock of this machine' } : {}),
    },
  ]
}

function place(folder: string): readonly Check[] {
  const stat = fs.lstatSync(folder)
  if (!stat.isDirectory())
    return [
      {
        name: 'workspace',
        status: 'bad',
        found: `${folder} is no folder`,
        hint: 'remove it, or choose another with --dir',
      },
    ]
  const open = (stat.mode & 0o077) !== 0
  const mode = (stat.mode & 0o777).toString(8)
  const doubt = DOUBTFUL[fs.statfsSync(folder).type]
  return [
    {
      name: 'workspace',
      status: open ? 'warn' : 'ok',
      found: `${folder}, mode ${mode}`,
      ...(open ? { hint: `chmod 700 ${folder}` } : {}),
    },
    {
      name: 'file system',
      status: doubt === undefined ? 'ok' : 'warn',
      found: doubt ?? 'syncs can be trusted as far as can be seen',
      ...(doubt === undefined ? {} : { hint: 'keep what matters on a local disk' }),
    },
  ]
}

/** How long a durable write takes here; also proves that the folder can be written. */
function sync(folder: string): Check {
  try {
    return { name: 'sync', status: 'ok', found: `${writeTime(folder).toFixed(2)} ms for a durable write` }
  } catch (error) {
    return {
      name: 'sync',
      status: 'bad',
      found: asError(error).message,
      hint: 'check the owner, the mode and the space of the folder',
    }
  }
}

/** Milliseconds that a durable write takes in that folder, on average. */
export function writeTime(folder: string): number {
  const file = path.join(folder, `.doctor-${process.pid}`)
  try {
    const fd = fs.openSync(file, 'wx', 0o600)
    const began = performance.now()
    for (let i = 0; i < SYNCS; i++) {
      fs.writeSync(fd, 'steadfold\n')
      fs.fdatasyncSync(fd)
    }
    const each = (performance.now() - began) / SYNCS
    fs.closeSync(fd)
    return each
  } finally {
    fs.rmSync(file, { force: true })
  }
}

function space(folder: string): Check {
  const { bavail, bsize } = fs.statfsSync(folder)
  const free = bavail * bsize
  const low = free < LEAST_FREE
  return {
    name: 'space',
    status: low ? 'warn' : 'ok',
    found: `${bytes(free)} free`,
    ...(low ? { hint: 'free some space: writes fail when the disk is full, reads go on' } : {}),
  }
}

/** After the sessions were opened, which takes in what can be. */
async function shells({ app }: Context<App>, folder: string): Promise<Check> {
  const { waiting, unfinished, rejected } = await app.handedIn(folder)
  const aside = rejected.map(({ file, reason }) => `${file}: ${reason}`)
  const found = [
    ...waits(waiting),
    ...(aside.length === 0 ? [] : [`${count(aside.length, 'fact')} put aside: ${aside.slice(0, 3).join('; ')}`]),
    ...(unfinished.length === 0
      ? []
      : [`${count(unfinished.length, 'fact')} unfinished: ${unfinished.slice(0, 3).join(', ')}`]),
  ]
  if (found.length === 0) return { name: 'shells', status: 'ok', found: 'everything they handed in is in a session' }
  const open = waiting.length === 0 ? '' : WAITING
  const hint = `${open}look at ${path.join(folder, 'spool')}; what is of no use can be removed`
  return { name: 'shells', status: 'warn', found: found.join('; '), hint }
}

const WAITING =
  'steadfold inbox tells of agents in no session; what names none goes to one that alone is active, what is for a suspended one when it is resumed; or '

/** Whose they are. */
function waits(sessions: readonly string[]): readonly string[] {
  const names = [...new Set(sessions)]
  const whose = names.slice(0, 3).map((name) => (name === '' ? 'no session' : name))
  return names.length === 0 ? [] : [`${count(sessions.length, 'fact')} waiting, for ${whose.join(', ')}`]
}

/** What states name and do not hold: imported, or left by somebody who went. Nothing is reset. */
async function references(context: Context<App>): Promise<Check> {
  const workspace = await context.workspace()
  const found: string[] = []
  for await (const session of workspace.sessions()) {
    const loose = session.damage === undefined ? await workspace.kernel.references?.(await session.stateAt()) : []
    found.push(...(loose ?? []).map(({ path: at, names }) => `${nameOf(session)} ${at} names ${names}`))
    const lost = await lostBlobs(workspace.kernel, session.id, session.stored, false)
    found.push(...lost.map(({ path: at, sha256 }) => `${nameOf(session)} ${at} names blob ${sha256.slice(0, 12)}`))
    await session.close()
  }
  if (found.length === 0) return { name: 'references', status: 'ok', found: 'everything that is named is there' }
  const said = `${count(found.length, 'reference')} to what is not there: ${found.slice(0, 3).join('; ')}`
  return {
    name: 'references',
    status: 'warn',
    found: said,
    hint: 'steadfold verify --deep lists them with the reasons',
  }
}

async function limits(context: Context<App>): Promise<Check> {
  const near = await nearIn(context)
  if (near.length === 0) return { name: 'limits', status: 'ok', found: 'nothing comes near one' }
  const said = near.map(({ name, limit, used, most }) => {
    const [has, may] = limit === 'commits' ? [thousands(used), thousands(most)] : [bytes(used), bytes(most)]
    return `${name}: ${limit} ${has} of ${may} (${Math.round((100 * used) / most)}%)`
  })
  const hint = 'steadfold gc says what can go; the limits are in .steadfold/config.json'
  return { name: 'limits', status: 'warn', found: said.slice(0, 3).join('; '), hint }
}

async function sessions(context: Context<App>): Promise<readonly Check[]> {
  const { counts, lost, ahead, unread } = await lives(context)
  const all = [...counts.values()].reduce((sum, n) => sum + n, 0)
  const words = [...counts].map(([status, n]) => `${n} ${status}`).join(', ')
  const damaged = counts.get('damaged') ?? 0
  const found = [
    all === 0 && unread.length === 0 ? 'none yet' : `${count(all, 'session')}${all === 0 ? '' : `: ${words}`}`,
    ...(lost.length > 0 ? [`${lost.length} lost`] : []),
    ...(unread.length > 0 ? [`${unread.length} cannot be read: ${unread.slice(0, 3).map(saidOf).join(', ')}`] : []),
  ].join('; ')
  const hint =
    damaged > 0
      ? 'steadfold verify'
      : unread.length > 0
        ? (unread[0]?.why.hint ?? 'steadfold verify')
        : lost.length > 0
          ? 'steadfold recover'
          : undefined
  return [
    {
      name: 'sessions',
      status: damaged + unread.length > 0 ? 'bad' : lost.length > 0 ? 'warn' : 'ok',
      found,
      ...(hint === undefined ? {} : { hint }),
      damaged,
    },
    ...ahead.map(clockOf),
  ]
}

interface Unread {
  readonly id: string
  readonly why: EngineError
}

const saidOf = ({ id, why }: Unread): string => `${id}: ${why.message}`

interface Ahead {
  readonly name: string
  readonly ms: number
}

/** L8: times never go back, so the time of such a session stands still. */
const clockOf = ({ name, ms }: Ahead): Check => ({
  name: 'clock',
  status: 'warn',
  found: `${name} is ${duration(ms)} ahead of this clock: no lease of it runs out till then`,
  hint: 'set the clock of this machine, or of the one that wrote; locks and claims can be given back by hand',
})

/** By state of life, those that are lost, of a time to come, or cannot be read. One that has lost its log is damaged, too. */
async function lives(context: Context<App>) {
  const counts = new Map<string, number>()
  const lost: string[] = []
  const ahead: Ahead[] = []
  const unread: Unread[] = []
  const workspace = await context.workspace()
  const { kernel } = workspace
  const gone = await remains(kernel)
  const leftOut = (id: string, why: EngineError) => void unread.push({ id, why })
  for await (const session of workspace.sessions((id) => !gone.includes(id), leftOut)) {
    const status = statusOf(session)
    const ms = Date.parse(session.updatedAt) - kernel.host.now()
    if (ms > MOST_APART_MS) ahead.push({ name: nameOf(session), ms })
    counts.set(status, (counts.get(status) ?? 0) + 1)
    const plan = status === 'damaged' ? undefined : await context.app.recovery.plan(session)
    if (plan !== undefined && plan.cause !== 'overdue') lost.push(session.id)
    await session.close()
  }
  if (gone.length > 0) counts.set('damaged', (counts.get('damaged') ?? 0) + gone.length)
  return { counts, lost, ahead, unread }
}
