/* What the parts of a definition say about each other: missing names, cycles, states that lead nowhere or do nothing. */
import { firstClash } from '../../kernel/work/claims.ts'
import { findCycle } from '../../kernel/work/graph.ts'
import type { Definition } from './definition.ts'
import type { Issue } from './parse.ts'

export interface Problem extends Issue {
  /** A warning does not keep the workflow from running. */
  readonly severity: 'error' | 'warning'
}

export function problems(definition: Definition): readonly Problem[] {
  return [
    ...nameProblems(definition),
    ...needProblems(definition),
    ...claimProblems(definition),
    ...reachProblems(definition),
    ...idleProblems(definition),
  ]
}

const error = (path: Problem['path'], message: string, code: Problem['code'] = 'WORKFLOW_INVALID'): Problem => ({
  severity: 'error',
  path,
  message,
  code,
})
const warning = (path: Problem['path'], message: string): Problem => ({
  severity: 'warning',
  path,
  message,
  code: 'WORKFLOW_INVALID',
})

function nameProblems({ initial, terminal, scopes = {}, states }: Definition): readonly Problem[] {
  const known = (name: string) => Object.hasOwn(states, name)
  const found: Problem[] = []
  if (!known(initial)) found.push(error(['initial'], `no state "${initial}"`))
  if (!known(terminal)) found.push(error(['terminal'], `no state "${terminal}"`))
  for (const [scope, end] of Object.entries(scopes))
    if (!known(end)) found.push(error(['scopes', scope], `no state "${end}"`))
  for (const [state, { next, on_failure, mode, steps }] of Object.entries(states)) {
    if (on_failure !== undefined && !known(on_failure))
      found.push(error(['states', state, 'on_failure'], `no state "${on_failure}"`))
    for (const to of next)
      if (to !== on_failure && !known(to)) found.push(error(['states', state, 'next'], `no state "${to}"`))
    for (const [name, { stage }] of Object.entries(steps)) {
      if (stage !== undefined && mode !== 'stages')
        found.push(
          warning(['states', state, 'steps', name, 'stage'], `a stage counts only in mode: stages, not ${mode}`),
        )
    }
  }
  return found
}

/** W3. */
function needProblems({ states }: Definition): readonly Problem[] {
  const homes = homesOf(states)
  const found: Problem[] = []
  for (const [at, [state, { steps }]] of Object.entries(states).entries()) {
    const place = (step: string, member?: string) => [
      'states',
      state,
      'steps',
      step,
      ...(member === undefined ? [] : [member]),
    ]
    for (const [name, { needs }] of Object.entries(steps)) {
      const home = homes.get(name)
      if (home !== undefined && home.at !== at)
        found.push(
          error(place(name), `step "${name}" is in state "${home.state}" already; names are unique in a workflow`),
        )
      for (const need of needs) {
        const needed = homes.get(need)
        if (needed === undefined) found.push(error(place(name, 'needs'), `no step "${need}"`))
        else if (needed.at > at)
          found.push(error(place(name, 'needs'), `step "${need}" comes later, in state "${needed.state}"`))
      }
    }
    const cycle = findCycle(new Map(Object.entries(steps).map(([name, { needs }]) => [name, needs])))
    if (cycle !== undefined)
      found.push(error(place(cycle[0] ?? '', 'needs'), `steps need each other: ${cycle.join(' → ')}`, 'WORKFLOW_CYCLE'))
  }
  return found
}

/** W7. */
function claimProblems({ states }: Definition): readonly Problem[] {
  return Object.entries(states).flatMap(([state, { mode, steps }]) => {
    const clash = firstClash(
      Object.entries(steps).map(([name, { needs, files = [], stage }]) => ({
        name,
        needs,
        files,
        lane: mode === 'stages' ? stage : undefined,
      })),
    )
    if (clash === undefined) return []
    const { first, second, file, other } = clash
    const same = file === other ? `"${file}"` : `"${file}" and "${other}"`
    const place = ['states', state, 'steps', second, 'files']
    return [
      error(
        place,
        `steps "${first}" and "${second}" may run at the same time and both claim ${same}: let one need the other`,
      ),
    ]
  })
}

interface Home {
  readonly state: string
  /** Position of the state. */
  readonly at: number
}

/** Step -> the first state that has one of that name. */
function homesOf(states: Definition['states']): ReadonlyMap<string, Home> {
  const homes = new Map<string, Home>()
  for (const [at, [state, { steps }]] of Object.entries(states).entries()) {
    for (const name of Object.keys(steps)) if (!homes.has(name)) homes.set(name, { state, at })
  }
  return homes
}

function reachProblems({ initial, terminal, states }: Definition): readonly Problem[] {
  const reached = reachable(initial, (state) => states[state]?.next ?? [])
  const leadsOn = (state: string) => reachable(state, (name) => states[name]?.next ?? []).has(terminal)
  const found: Problem[] = []
  for (const [state, { next }] of Object.entries(states)) {
    if (!reached.has(state))
      found.push(warning(['states', state], `state "${state}" cannot be reached from "${initial}"`))
    if (state === terminal) continue
    if (next.length === 0)
      found.push(error(['states', state, 'next'], `state "${state}" is a dead end: nothing leads on to "${terminal}"`))
    else if (reached.has(state) && reached.has(terminal) && !leadsOn(state))
      found.push(
        error(['states', state, 'next'], `state "${state}" is a dead end: no way leads on from it to "${terminal}"`),
      )
  }
  if (Object.hasOwn(states, terminal) && !reached.has(terminal))
    found.push(error(['terminal'], `"${terminal}" cannot be reached from "${initial}"`))
  return found
}

/** Where other states have work, one without any is likely to have lost it. */
function idleProblems({ initial, terminal, states }: Definition): readonly Problem[] {
  const works = (state: string) => Object.keys(states[state]?.steps ?? {}).length > 0
  if (!Object.keys(states).some(works)) return []
  return Object.keys(states)
    .filter((state) => state !== initial && state !== terminal && !works(state))
    .map((state) => warning(['states', state], `state "${state}" has no handler and no steps: a run passes through it`))
}

function reachable(from: string, next: (name: string) => readonly string[]): ReadonlySet<string> {
  const seen = new Set([from])
  for (const name of seen) for (const to of next(name)) seen.add(to)
  return seen
}
