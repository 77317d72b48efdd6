/* The craft session document, version 1.0.0 and its dialects. Work becomes tasks; the rest is kept for its export. */
import type { Importer } from '../../kernel/exchange/importer.ts'
import { normalize } from './craft-dialects.ts'
import { craftReadable, craftSession, issuesOf } from './craft-schema.ts'
import { endingOf } from './ending.ts'
import { entriesOf, isMembers, itemsOf, membersOf, stemOf, textOf, textsOf } from './members.ts'
import { tasksPlan, type Given } from './tasks.ts'

export const craft: Importer = {
  kind: 'craft-session',
  summary: 'a craft session document of version 1.0.0, and its dialects',
  detects: ({ value }) =>
    isMembers(value) &&
    ['session_id', 'goal', 'mode', 'status'].every((each) => each in value) &&
    Array.isArray(value['pending_tasks'] ?? value['agents']),
  read: ({ value, path }) => {
    const given = membersOf(value)
    const { document, told, isDialect } = normalize(given)
    const unreadable = issuesOf(craftReadable(), document)
    // A dialect never promised these forms.
    const violations = isDialect ? [] : issuesOf(craftSession(), document).filter((each) => !unreadable.includes(each))
    const { completed_work, pending_tasks, ...rest } = document
    const plan = tasksPlan('pending_tasks and completed_work', [
      ...textsOf(completed_work).map((title, at) => ({
        ...taskOf(title, 'completed', at),
        artifacts: filesOf(itemsOf(given['completed_work'])[at]),
      })),
      ...textsOf(pending_tasks).map((title, at) => taskOf(title, 'pending', at)),
    ])
    const { ending, rows } = endingOf(document['status'])
    return {
      group: textOf(document['session_id']) ?? stemOf(path),
      goal: textOf(document['goal']),
      rows: [
        ...plan.rows,
        ...rows,
        {
          what: 'agents, none of which is alive here',
          count: itemsOf(rest['agents']).length,
          becomes: 'data.craft.agents',
        },
        { what: 'decisions, files, usage and all the rest', count: entriesOf(rest).length - 1, becomes: 'data.craft' },
      ],
      problems: [...told, ...plan.problems],
      violations,
      unreadable,
      requests: [...plan.requests, { op: 'state.set', input: { path: '$.data.craft', value: rest } }],
      ending,
    }
  },
}

const taskOf = (title: string, status: string, at: number): Given => ({ id: `${status} ${at + 1}`, title, status })

/** A dialect tells which files a piece of work left. */
const filesOf = (work: unknown): readonly string[] => textsOf(membersOf(work)['files'])
