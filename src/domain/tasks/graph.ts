import type { Tree } from '../../kernel/state/module.ts'
import { allLinks, byOrder, type Link } from './dependency.ts'
import type { Task } from './events.ts'
import { isReady } from './ready.ts'
import { indexOf, tasksOf } from './tasks.ts'

export type GraphFormat = 'text' | 'mermaid' | 'dot'

interface Drawn {
  readonly tasks: readonly Task[]
  readonly links: readonly Link[]
  /** What tasks wait for that is no task. */
  readonly outside: readonly string[]
}

/** Tasks and what they wait for; with `all`, also what is completed or cancelled. */
export function graphText(root: Readonly<Tree>, format: GraphFormat, all: boolean): string {
  const index = indexOf(root)
  const tasks = Object.values(tasksOf(root))
    .filter(({ status }) => all || (status !== 'completed' && status !== 'cancelled'))
    .toSorted(byOrder)
  const drawn = new Set([...tasks.map(({ id }) => id), ...Object.keys(index?.outside ?? {})])
  const links = allLinks(index).filter(({ source, waiting }) => drawn.has(source) && drawn.has(waiting))
  const outside = Object.keys(index?.outside ?? {}).filter((node) => links.some(({ source }) => source === node))
  const render = { text, mermaid, dot }[format]
  return `${render({ tasks, links, outside }).join('\n')}\n`
}

const MARKS: Readonly<Record<Task['status'], string>> = {
  pending: ' ',
  assigned: '>',
  in_progress: '>',
  review: '?',
  completed: '+',
  blocked: '!',
  cancelled: '-',
}

function text({ tasks, links }: Drawn): readonly string[] {
  const width = Math.max(0, ...tasks.map(({ id }) => id.length))
  const into = new Map<string, string[]>()
  for (const { waiting, source } of links) into.set(waiting, [...(into.get(waiting) ?? []), source])
  return tasks.map((task) => {
    const needs = into.get(task.id) ?? []
    const mark = isReady(task) ? '*' : MARKS[task.status]
    return `${mark} ${task.id.padEnd(width)}  ${shown(task.title)}${needs.length === 0 ? '' : `  ← ${needs.join(', ')}`}`
  })
}

/** Nodes are numbered: a name such as `end` means something in this language. */
function mermaid({ tasks, links, outside }: Drawn): readonly string[] {
  const ids = new Map([...tasks.map(({ id }) => id), ...outside].map((id, i) => [id, `n${i}`]))
  return [
    'flowchart LR',
    ...tasks.map(({ id, title, status }) => `  ${ids.get(id) ?? ''}["${id}: ${shown(title)} (${status})"]`),
    ...outside.map((node) => `  ${ids.get(node) ?? ''}(["${node}"])`),
    ...links.map(({ source, waiting, type }) => `  ${ids.get(source) ?? ''} ${ARROWS[type]} ${ids.get(waiting) ?? ''}`),
  ]
}

const ARROWS: Readonly<Record<Link['type'], string>> = {
  blocks: '-->',
  enables: '-. enables .->',
  requires: '== required by ==>',
}

function dot({ tasks, links, outside }: Drawn): readonly string[] {
  return [
    'digraph tasks {',
    '  rankdir=LR',
    ...tasks.map(({ id, title, status }) => `  "${id}" [shape=box, label="${id}: ${shown(title)} (${status})"]`),
    ...outside.map((node) => `  "${node}" [shape=ellipse]`),
    ...links.map((link) => `  "${link.source}" -> "${link.waiting}" [label=${link.type}]`),
    '}',
  ]
}

/** Titles come from agents: quotes, brackets and control characters would say something in these languages. */
// oxlint-disable-next-line no-control-regex -- they are what is taken out
const shown = (title: string): string => title.replaceAll(/[\u0000-\u001f\u007f"\\[\]{}<>|]/g, ' ')
