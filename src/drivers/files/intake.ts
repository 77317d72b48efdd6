/*
 * From the spool into the logs.
 *
 * T1. A fact for no session goes to where the agent that it tells of began, or else to the only active one (kernel/belonging.ts); while
 *     neither is known, it waits, or until somebody says to which it belongs.
 * T2. A fact for a suspended session waits; one that its session, or a rule, refuses is put aside with the reason.
 * T3. A failure of the store is no verdict: the facts stay.
 * T4. Whoever wrote a fact before its session took another name could not know that name: it goes to that session.
 */
import { belonging, type Belonging } from '../../kernel/belonging.ts'
import { EngineError } from '../../kernel/error.ts'
import { byAnyName } from '../../kernel/names.ts'
import type { Answer } from '../../kernel/operation/answer.ts'
import type { Stray } from '../../kernel/ports.ts'
import type { Session } from '../../kernel/session.ts'
import type { Workspace } from '../../kernel/workspace.ts'
import { inputOf, keyOf, type Fact, type Spool, type Taken, type Verdict } from './spool.ts'
import { tellerOf } from './strays.ts'

export { Spool } from './spool.ts'

/** The session in which a run of an agent CLI is from now on. */
export interface Adopted extends Pick<Stray, 'agent' | 'run'> {
  readonly session: string
}

const WAITS: Verdict = { kind: 'waits' }
const OF_THE_FACT: ReadonlySet<string> = new Set([
  'SPOOL_FACT_INVALID',
  'OPERATION_UNKNOWN',
  'SESSION_NOT_FOUND',
  'SESSION_AMBIGUOUS',
  'NAME_INVALID',
])

/** Commits every fact that waits in the spool. */
export async function takeIn(workspace: Workspace, spool: Spool, adopted?: Adopted): Promise<Taken> {
  return spool.take(async (facts) => {
    const open = new Map<string, Promise<Session | Verdict>>()
    const meant = facts.some(({ session }) => session === '') ? await belonging(workspace) : undefined
    const verdicts = facts.map((fact) => {
      const target = fact.session === '' ? (meantBy(fact, meant, adopted) ?? '') : fact.session
      const found = open.get(target) ?? find(workspace, target)
      open.set(target, found)
      return found
    })
    try {
      const targets = await Promise.all(verdicts)
      // Submitted in order and together: one group, one sync.
      return await Promise.all(facts.map((fact, i) => commit(targets[i], fact)))
    } finally {
      for (const target of await Promise.allSettled(open.values())) {
        if (target.status === 'fulfilled' && isSession(target.value)) await target.value.close()
      }
    }
  })
}

const isSession = (target: Session | Verdict | undefined): target is Session => target !== undefined && 'run' in target

async function commit(target: Session | Verdict | undefined, fact: Fact): Promise<Verdict> {
  if (!isSession(target)) return target ?? WAITS
  try {
    const answer = await target.run(fact.op, inputOf(fact), { key: keyOf(fact), actor: fact.actor })
    return verdictOf(answer, target)
  } catch (error) {
    return rejectedBy(error)
  }
}

function verdictOf(answer: Answer, session: Session): Verdict {
  if (answer.kind === 'accepted') return { kind: 'taken' }
  if (answer.code === 'SESSION_NOT_WRITABLE' && PAUSED.has(toldLife(session))) return WAITS
  return { kind: 'rejected', reason: `${answer.code}: ${answer.message}` }
}

/** Such a session goes on later. */
const PAUSED: ReadonlySet<unknown> = new Set(['suspended', 'recovering'])

/** T3 */
function rejectedBy(error: unknown): Verdict {
  if (!(error instanceof EngineError) || !OF_THE_FACT.has(error.code)) throw error
  return { kind: 'rejected', reason: `${error.code}: ${error.message}` }
}

/** T1 */
function meantBy(fact: Fact, meant: Belonging | undefined, adopted: Adopted | undefined): string | undefined {
  const told = tellerOf(fact)
  if (told !== undefined && told.agent === adopted?.agent && told.run === adopted.run) return adopted.session
  return (told && meant?.ofRun(told.agent, told.run)) ?? meant?.only
}

async function find(workspace: Workspace, idOrName: string): Promise<Session | Verdict> {
  if (idOrName === '') return WAITS
  try {
    return await byAnyName((id = idOrName) => workspace.session(id))
  } catch (error) {
    return rejectedBy(error)
  }
}

/** Reads only what every session has, whatever the domain makes of it. */
const toldLife = (session: Session): unknown => session.get('$.session.lifecycle.status')
