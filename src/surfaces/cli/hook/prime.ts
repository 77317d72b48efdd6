/*
 * Where an agent that begins, or whose context was cut, stands: text for its context.
 *
 * Parts are in the order in which they matter; the first that does not fit any more, and all behind it, are left out and
 * counted. What agents and people wrote is quoted on one line each, so that it reads as data.
 */
import { asError } from '../../../kernel/error.ts'
import { membersOf, type Members } from '../../../kernel/json/members.ts'
import type { Session } from '../../../kernel/session.ts'
import { isPerson } from '../../../kernel/text/actor.ts'
import type { HookApp } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { lifeOf, nameOf, statusOf } from '../context/scope.ts'
import { count, cut, plain, thousands } from '../show/text.ts'
import { textAt } from '../show/view.ts'

export const DEFAULT_TOKENS = 1000
const CHARACTERS_A_TOKEN = 4
const WIDEST = 160

/** `asker` is who begins. */
export async function primeText(
  context: Context<HookApp>,
  session: Session,
  { asker, tokens }: { readonly asker: string; readonly tokens: number },
): Promise<string> {
  const told = (text: string) => context.kept(text, renamed(context, session))
  const commands = [READ, await writing(session, asker)].map(told)
  const lines = [...(await standing(context, session)), ...commands, ...(await work(session)), ...outputs(session)]
  return fitted(lines, tokens * CHARACTERS_A_TOKEN, told('steadfold prime'))
}

/** What its session is called now, where the shell of an agent names it as it was called at its start. */
function renamed({ namedSession: word }: Context<HookApp>, session: Session): string | undefined {
  const name = nameOf(session)
  return word === undefined || word === name || session.id.startsWith(word) ? undefined : name
}

/** For an agent that begins where it is not clear which session is meant; empty where there is none at all. */
export async function severalText(context: Context<HookApp>, of: Beginner): Promise<string> {
  const names: string[] = []
  for await (const session of (await context.workspace()).sessions()) {
    if (lifeOf(session) === 'active') names.push(plain(nameOf(session)))
    await session.close()
  }
  if (names.length === 0) return ''
  const active = `${count(names.length, 'session')} ${names.length === 1 ? 'is' : 'are'} active`
  const listed = names.slice(0, 20).join(', ')
  return `Steadfold keeps the state of this work. ${active}: ${listed}. Name yours with --session NAME.${await untilClear(context, of)}`
}

interface Beginner {
  readonly agent: string
  readonly run: string | undefined
}

/** What becomes of what it does: under a name that no session has, nothing waits that could be adopted. */
async function untilClear(context: Context<HookApp>, { agent, run }: Beginner): Promise<string> {
  if (context.namedSession !== undefined) {
    const why = await context.session('write').then(
      () => 'it was not there yet',
      (error: unknown) => asError(error).message,
    )
    return ` What you do is kept in none: ${plain(why)}. Whoever starts you says which in STEADFOLD_SESSION.`
  }
  const adopt = context.kept(`steadfold activity adopt ${agent} ${run} --session NAME`)
  return run === undefined ? '' : ` What you do is kept in none until you say which, once: ${adopt}.`
}

async function standing({ app }: Context<HookApp>, session: Session): Promise<readonly string[]> {
  const { row, needs } = await app.overview.glance(session)
  const { workflow, steps } = row
  const next = textAt(session.get('$.session.goal'))
  const at =
    workflow === null
      ? []
      : [
          `Workflow ${workflow.name}: in ${workflow.current}, ends in ${workflow.terminal}; ${steps.finished} of ${steps.total} steps are done.`,
        ]
  return [
    `Steadfold keeps the state of this work in session ${quoted(nameOf(session))} (seq ${thousands(row.seq)}, ${row.status}).`,
    ...(next === null || next === '' ? [] : [`Goal: ${quoted(next)}`]),
    ...at,
    ...needs.slice(0, 5).map(({ kind, what, why }) => `Needs a person: ${kind} ${quoted(what)} ${quoted(why)}`),
  ]
}

const READ =
  'Read: steadfold status; steadfold state get PATH; steadfold task ready; steadfold lock list; steadfold log -n 20.'

function write(asker: string): string {
  const [you, name] = isPerson(asker) ? ['', 'agent:NAME'] : [`You are ${asker} in it. `, asker]
  return `${you}Write: steadfold output set NAME VALUE; steadfold task claim --any --as ${name}; steadfold task done ID; steadfold lock acquire FILE --as ${name}. A refusal says what is allowed instead.`
}

/** What would be refused is not offered: one that has departed, has ended, is suspended or damaged says what is left to do. */
async function writing(session: Session, asker: string): Promise<string> {
  if (statusOf(session) === 'active') return write(asker)
  try {
    const tried = await session.run('output.set', { name: 'tried', value: '' }, { dryRun: true })
    if (tried.kind === 'accepted') return write(asker)
    return `Write: nothing is taken now: ${[tried.message, tried.hint ?? []].flat().join('; ')}`
  } catch (error) {
    return `Write: nothing can be written now: ${asError(error).message}`
  }
}

async function work(session: Session): Promise<readonly string[]> {
  const tasks = await rowsOf(session, 'task.list')
  const open = tasks.filter((task) => task['status'] === 'assigned' || task['status'] === 'in_progress')
  const ready = tasks.filter((task) => task['ready'] === true)
  const locks = await rowsOf(session, 'lock.list')
  return [
    ...open.slice(0, 10).map((task) => `Under way: ${said(task['id'], task['title'])}, by ${String(task['assignee'])}`),
    ...locks.slice(0, 10).map((lock) => `Locked: ${said(lock['resource'])} by ${String(lock['holder'])}`),
    ...ready.slice(0, 10).map((task) => `Ready: ${said(task['id'], task['title'])}, ${String(task['priority'])}`),
  ]
}

function outputs(session: Session): readonly string[] {
  const names = Object.keys(membersOf(session.get('$.outputs')))
  return names.length === 0 ? [] : [`Outputs: ${cut(names.slice(0, 40).map(plain).join(', '), 600)}`]
}

/** None where the operation is refused. */
async function rowsOf(session: Session, operation: string): Promise<readonly Members[]> {
  const answer = await session.run(operation)
  const rows: unknown = answer.kind === 'accepted' ? answer.value : []
  return Array.isArray(rows) ? rows.map(membersOf) : []
}

const said = (...parts: readonly unknown[]): string => parts.map((part) => quoted(String(part))).join(' ')

const quoted = (text: string): string => JSON.stringify(cut(plain(text), WIDEST))

function fitted(lines: readonly string[], characters: number, whole: string): string {
  let left = characters - 40
  const kept: string[] = []
  for (const line of lines) {
    left -= line.length + 1
    if (left < 0) break
    kept.push(line)
  }
  const missing = lines.length - kept.length
  return [...kept, ...(missing === 0 ? [] : [`(${count(missing, 'line')} more: ${whole})`])].join('\n')
}
