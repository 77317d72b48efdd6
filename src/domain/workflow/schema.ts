/* The JSON Schema of a workflow file, from the schema that reads it, with words for editors. */
import * as z from 'zod/mini'
import type { Members } from '../../kernel/json/members.ts'
import { stateSchema, stepSchema, workflowSchema } from './definition.ts'

const WORKFLOW: Readonly<Record<string, string>> = {
  name: 'what sessions of this workflow are called; what the file is called, up to its first dot, when left out',
  goal: 'what is to be reached',
  initial: 'where work begins; the first state when left out',
  terminal: 'where it ends; the last state when left out',
  scopes: 'state at which each scope ends',
  scope_rules:
    'how a scope is told from a description, instead of the rules that are built in; the first that fits decides',
  advisory: 'record transitions that are not allowed instead of refusing them',
  retry_limit: 'how often a failed state may be retried before a person is needed; 3 when left out',
  handlers: 'steps that states use by name',
  states: 'in order: without next, each leads to the following one',
}

const STATE: Readonly<Record<string, string>> = {
  mode: 'parallel: all that can run; waves: shown by dependency; stages: one after the other',
  max_parallel: 'most steps at a time',
  min_success: 'share of the steps that must succeed',
  next: 'states that may follow; the first is taken on success',
  on_failure: 'state to go to when the share was missed',
  approval: 'a person must approve before the state starts',
  handler: 'what the state does: the name of one of handlers, or a step',
  timeout: 'for steps that do not say it themselves',
  retries: 'for steps that do not say it themselves',
  steps: 'what the state does, by name; names are unique in the workflow',
}

const STEP: Readonly<Record<string, string>> = {
  run: 'a text is given to sh -c, a list is a program with its arguments',
  needs: 'steps of this or an earlier state that must be done before',
  stage: 'for mode stages: stages run in order of first appearance',
  timeout: 'asked to end after that; ended after a tenth more',
  timeout_ms: 'the same in milliseconds',
  retries: 'how often it runs again after a failure that may pass',
  inputs: 'files it depends on, by content',
  env: 'variables of its environment',
  reads: 'variables that hold outputs of earlier steps',
  artifacts: 'files it makes; kept by hash',
  files: 'files it will change; two steps that may run at the same time claim different ones',
  report: 'a Markdown file it writes; kept, and summed up by supervise',
  repeatable: 'it may run again when its outcome is unknown',
  cost_hint: 'how long it is expected to take',
  cost_hint_ms: 'the same in milliseconds',
}

export function workflowJsonSchema(): Members {
  const names = z.registry<{ readonly id: string }>()
  names.add(stateSchema(), { id: 'state' })
  names.add(stepSchema(), { id: 'step' })
  const made = z.toJSONSchema(workflowSchema(), { io: 'input', unrepresentable: 'throw', metadata: names })
  const { $schema, $defs: { state, step } = {}, ...schema } = made
  const name = schema.properties?.['name']
  // A file names a workflow that has no name itself; this one is for a definition without a file.
  if (typeof name === 'object') delete name.default
  return {
    $schema,
    $id: 'urn:steadfold:schema:workflow.v1',
    title: 'Workflow',
    description: 'The states of a session, what leads from one to the next, and the work in them',
    ...described(schema, WORKFLOW),
    $defs: { state: described(state, STATE), step: described(step, STEP) },
  }
}

function described(schema: object | undefined, words: Readonly<Record<string, string>>): Members {
  // An object schema as JSON Schema has it.
  const {
    id: _,
    properties = {},
    ...rest
  } = { ...schema } as Members & {
    readonly properties?: Readonly<Record<string, object>>
  }
  const told = Object.entries(properties).map(([name, each]) => [name, { description: words[name], ...each }])
  return { ...rest, properties: Object.fromEntries(told) as unknown }
}
