/* Task lists of a coding agent: a list of tasks with what they block, or a plain list of things to do. */
import type { Importer } from '../../kernel/exchange/importer.ts'
import { isMembers, itemsOf, nameOf, stemOf, textOf, type Members } from './members.ts'
import { tasksPlan, type Given } from './tasks.ts'

const isTask = (value: unknown): value is Members =>
  isMembers(value) && typeof value['status'] === 'string' && [value['subject'], value['content']].some(isText)

const isText = (value: unknown): boolean => typeof value === 'string'

/** One that stands alone: much else has a subject and a status. */
const isLone = (value: unknown): boolean =>
  isTask(value) && (isText(value['content']) || nameOf(value['id']) !== undefined)

const namesOf = (value: unknown): readonly string[] => itemsOf(value).flatMap((each) => nameOf(each) ?? [])

export const taskList: Importer = {
  kind: 'task-list',
  summary: 'the task list of a coding agent: id, subject, status, blocks, blockedBy; or content and status',
  detects: ({ value }) => (Array.isArray(value) ? value.some(isTask) : isLone(value)),
  read: ({ value, path }) => {
    const all = Array.isArray(value) ? itemsOf(value) : [value]
    const problems = all.flatMap((each, at) =>
      isTask(each) ? [] : [`tasks: item ${at + 1} is no task: ${missing(each)}`],
    )
    const plan = tasksPlan(
      'tasks',
      all.flatMap((each, at) => (isTask(each) ? [describe(each, at)] : [])),
    )
    return { group: stemOf(path), ...plan, problems: [...problems, ...plan.problems] }
  },
}

function missing(value: unknown): string {
  if (!isMembers(value)) return 'it is no object'
  return isText(value['status']) ? 'it has no text as subject or content' : 'it has no text as status'
}

function describe(task: Members, at: number): Given {
  return {
    id: nameOf(task['id']) ?? `todo-${at + 1}`,
    title: textOf(task['subject'], task['content']),
    status: textOf(task['status']),
    priority: textOf(task['priority']),
    needs: namesOf(task['blockedBy']),
    blocks: namesOf(task['blocks']),
    requirements: textOf(task['description']),
  }
}
