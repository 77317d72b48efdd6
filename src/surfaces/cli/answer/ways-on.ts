/* The commands with which work in a session really goes on, the first of them first. */
import { membersOf } from '../../../kernel/json/members.ts'
import { accepted } from '../../../kernel/operation/answer.ts'
import type { Session } from '../../../kernel/session.ts'
import { quoted } from '../context/scope.ts'

/** `word` means the session. Never empty: at the least there is something to look at. */
export async function waysOn(session: Session, word: string): Promise<readonly string[]> {
  const where = `--session ${quoted(word)}`
  const found = [
    ...(isToRun(session) ? [`steadfold run ${where}`] : []),
    ...(await agentsLeft(session)),
    ...(hasOpenTasks(session) ? [`steadfold task claim --any ${where}`] : []),
    ...(isUnderWay(session) ? [`steadfold workflow next ${where}`] : []),
  ]
  return found.length > 0 ? found : [`steadfold status ${where}`]
}

function isToRun(session: Session): boolean {
  const { definition, completed_at } = membersOf(session.get('$.workflow'))
  const states = Object.values(membersOf(membersOf(definition)['states']))
  return completed_at === null && states.some((state) => Object.keys(membersOf(membersOf(state)['steps'])).length > 0)
}

const isUnderWay = (session: Session): boolean => {
  const { history, completed_at } = membersOf(session.get('$.workflow'))
  return !isToRun(session) && completed_at === null && Array.isArray(history) && history.length > 0
}

/** Agent CLIs that were not told to have ended: they are taken up where their conversation is. */
async function agentsLeft(session: Session): Promise<readonly string[]> {
  const rows: unknown = accepted(await session.run('activity.list', {})).value
  return (Array.isArray(rows) ? rows.map(membersOf) : []).flatMap(({ status, resume }) =>
    status === 'ended' || typeof resume !== 'string' ? [] : [resume],
  )
}

const hasOpenTasks = (session: Session): boolean =>
  Object.values(membersOf(session.get('$.execution.tasks'))).some((task) => membersOf(task)['status'] === 'pending')
