import type { WorkflowSlice } from './workflow.ts'

export type GraphFormat = 'text' | 'mermaid' | 'dot'

/** The states and their transitions; with `steps`, also the steps and what they need. */
export function graphText(workflow: WorkflowSlice, format: GraphFormat, steps: boolean): string {
  const render = { text, mermaid, dot }[format]
  return `${render(workflow, steps).join('\n')}\n`
}

function text({ definition, current, completed, terminal, intent }: WorkflowSlice, steps: boolean): string[] {
  const width = Math.max(...Object.keys(definition.states).map((name) => name.length))
  return Object.entries(definition.states).flatMap(([name, state]) => {
    const mark = name === current ? '>' : name === intent?.to ? '?' : completed.includes(name) ? '+' : ' '
    const next = name === terminal || state.next.length === 0 ? '(end)' : `→ ${state.next.join(', ')}`
    const inner = Object.entries(state.steps).map(
      ([step, { needs }]) => `      ${step}${needs.length === 0 ? '' : ` ← ${needs.join(', ')}`}`,
    )
    return [`${mark} ${name.padEnd(width)}  ${next}`, ...(steps ? inner : [])]
  })
}

/** Nodes are numbered: a name such as `end` means something in this language. */
function mermaid({ definition, terminal, current }: WorkflowSlice, steps: boolean): string[] {
  const lines = ['flowchart LR']
  const states = Object.keys(definition.states)
  const all = Object.values(definition.states).flatMap((state) => Object.keys(state.steps))
  const idOf = (state: string) => `s${states.indexOf(state)}`
  const stepId = (step: string) => `t${all.indexOf(step)}`
  for (const [name, state] of Object.entries(definition.states)) {
    lines.push(name === terminal ? `  ${idOf(name)}(["${name}"])` : `  ${idOf(name)}["${name}"]`)
    for (const to of state.next)
      lines.push(`  ${idOf(name)} ${to === state.on_failure ? '-. failed .->' : '-->'} ${idOf(to)}`)
    if (!steps) continue
    for (const [step, { needs }] of Object.entries(state.steps)) {
      lines.push(
        `  ${idOf(name)} --- ${stepId(step)}("${step}")`,
        ...needs.map((need) => `  ${stepId(need)} --> ${stepId(step)}`),
      )
    }
  }
  return [...lines, `  style ${idOf(current)} stroke-width:3px`]
}

function dot({ name: title, definition, terminal, current }: WorkflowSlice, steps: boolean): string[] {
  const lines = [`digraph "${title}" {`, '  rankdir=LR']
  for (const [name, state] of Object.entries(definition.states)) {
    lines.push(
      `  "${name}" [shape=${name === terminal ? 'doublecircle' : 'box'}${name === current ? ', penwidth=3' : ''}]`,
    )
    for (const to of state.next)
      lines.push(`  "${name}" -> "${to}"${to === state.on_failure ? ' [style=dashed, label=failed]' : ''}`)
    if (!steps) continue
    for (const [step, { needs }] of Object.entries(state.steps)) {
      lines.push(
        `  "${name}/${step}" [label="${step}", shape=ellipse]`,
        `  "${name}" -> "${name}/${step}" [arrowhead=none, style=dotted]`,
      )
      for (const need of needs) lines.push(`  "${homeOf(definition.states, need)}/${need}" -> "${name}/${step}"`)
    }
  }
  return [...lines, '}']
}

const homeOf = (states: WorkflowSlice['definition']['states'], step: string): string =>
  Object.entries(states).find(([, state]) => Object.hasOwn(state.steps, step))?.[0] ?? ''
