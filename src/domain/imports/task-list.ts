/* Task lists of a coding agent: a list of tasks with what they block, or a plain list of things to do. */
import type { Importer } from '../../kernel/exchange/importer.ts'
import { isMembers, itemsOf, stemOf, textOf, textsOf, type Members } from './members.ts'
import { tasksPlan, type Given } from './tasks.ts'

const isTask = (value: unknown): value is Members =>
  isMembers(value) && typeof value['status'] === 'string' && (isNumbered(value) || typeof value['content'] === 'string')

const isNumbered = ({ id, subject }: Members): boolean => typeof id === 'string' && typeof subject === 'string'

export const taskList: Importer = {
  kind: 'task-list',
  summary: 'the task list of a coding agent: id, subject, status, blocks, blockedBy; or content and status',
  detects: ({ value }) => (Array.isArray(value) ? value.length > 0 && value.every(isTask) : isTask(value)),
  read: ({ value, path }) => {
    const tasks = (Array.isArray(value) ? itemsOf(value) : [value]).filter(isMembers)
    const given = tasks.map(describe)
    const blocks = tasks.flatMap((task) => textsOf(task['blocks']).map((to) => [to, textOf(task['id']) ?? ''] as const))
    const all = given.map((task) => ({
      ...task,
      needs: [...new Set([...task.needs, ...blocks.filter(([to]) => to === task.id).map(([, from]) => from)])],
    }))
    return { group: stemOf(path), ...tasksPlan('tasks', all) }
  },
}

function describe(task: Members, at: number): Given & { readonly needs: readonly string[] } {
  return {
    id: textOf(task['id']) ?? `todo-${at + 1}`,
    title: textOf(task['subject'], task['content']),
    status: textOf(task['status']),
    priority: textOf(task['priority']),
    needs: textsOf(task['blockedBy']),
    requirements: textOf(task['description']),
  }
}
