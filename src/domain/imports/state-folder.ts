/* Files that only mean something together: a checkpoint and the events behind it, and tasks of a list in files of their own. */
import type { Detected, Source } from '../../kernel/exchange/importer.ts'
import { eventRows, isEvent, retold } from './event-lines.ts'
import { isMembers, linesOf, membersOf, momentOf, NOTHING, stemOf } from './members.ts'
import { documentPlan, sessionDocument } from './session-document.ts'
import { taskList } from './task-list.ts'

/** Events count from when the checkpoint was saved: what it holds of that moment already, stays when it is told again. */
export function checkpointWithEvents(sources: readonly Source[]): readonly Detected[] {
  return sources.filter(sessionDocument.detects).flatMap((document) => {
    const stem = stemOf(document.path)
    const log = sources.find((each) => each !== document && stemOf(each.path) === stem && linesOf(each.text, isEvent))
    if (log === undefined) return []
    const value = membersOf(document.value)
    const { objects, problems } = linesOf(log.text, isEvent) ?? NOTHING
    const saved = momentOf(membersOf(membersOf(value['persistence'])['checkpoint'])['last_saved']) ?? ''
    const later = objects.filter(({ timestamp }) => (momentOf(timestamp) ?? saved) >= saved)
    const told = retold(later, value)
    const plan = documentPlan(told.document, stem, told.tasks)
    const earlier = objects.length - later.length
    const known =
      earlier === 0 ? [] : [{ what: 'events before the checkpoint', count: earlier, becomes: 'part of it already' }]
    return [
      {
        ...plan,
        kind: 'state-folder',
        sources: [document, log],
        rows: [...plan.rows, ...eventRows(told), ...known],
        problems: [...problems, ...plan.problems, ...told.failed],
      },
    ]
  })
}

/** One file a task: `1.json`, `2.json`. */
export function taskFiles(sources: readonly Source[]): readonly Detected[] {
  const folders = new Map<string, Source[]>()
  for (const source of sources) {
    if (!isMembers(source.value) || !taskList.detects(source)) continue
    const folder = source.path.split('/').slice(0, -1).join('/')
    folders.set(folder, [...(folders.get(folder) ?? []), source])
  }
  return [...folders].map(([folder, files]) => {
    const all = { path: folder, text: '', value: files.map(({ value }) => value) }
    return { kind: taskList.kind, sources: files, ...taskList.read(all) }
  })
}
