/* Issues, one a line, with typed dependencies between them. */
import type { Importer } from '../../kernel/exchange/importer.ts'
import { isMembers, itemsOf, linesOf, NOTHING, stemOf, textOf, type Members } from './members.ts'
import { left, tasksPlan, type Given } from './tasks.ts'

const PRIORITIES = ['critical', 'high', 'medium', 'low', 'low']
/** Others tell of relations that nothing waits for. */
const WAITS = 'blocks'

export const issueLines: Importer = {
  kind: 'issue-lines',
  summary: 'issues as JSON lines: id, title, status, priority 0 to 4, issue_type, dependencies',
  detects: ({ text }) => linesOf(text, isIssue) !== undefined,
  read: ({ text, path }) => {
    const { objects: issues, problems } = linesOf(text, isIssue) ?? NOTHING
    const links = issues.flatMap(({ dependencies }) => itemsOf(dependencies).filter(isMembers))
    const plan = tasksPlan('issues', issues.map(describe))
    const others = links.filter(({ type }) => type !== WAITS)
    const rows = [...plan.rows, ...left('links that do not block', others.length)]
    return { group: stemOf(path), ...plan, rows, problems: [...problems, ...plan.problems] }
  },
}

const isIssue = ({ id, title, status }: Members): boolean =>
  [id, title, status].every((each) => typeof each === 'string')

function describe(issue: Members): Given {
  const { priority } = issue
  return {
    id: textOf(issue['id']) ?? '',
    title: textOf(issue['title']),
    status: textOf(issue['status']),
    type: textOf(issue['issue_type']),
    created: issue['created_at'],
    completed: issue['closed_at'],
    priority: typeof priority === 'number' ? PRIORITIES[priority] : textOf(priority),
    requirements: textOf(issue['description']),
    needs: itemsOf(issue['dependencies'])
      .filter(isMembers)
      .filter(({ type }) => type === WAITS)
      .flatMap((each) => textOf(each['depends_on_id']) ?? []),
  }
}
