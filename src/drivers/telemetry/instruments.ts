import type { Attributes, Counter, Histogram, Meter } from '@opentelemetry/api'
import type { Draft, Event } from '../../kernel/log/commit.ts'
import type { Spent } from './spending.ts'
import type { Work } from './work.ts'

interface Set {
  readonly commits: Counter
  readonly conflicts: Counter
  readonly operations: Histogram
  readonly steps: Histogram
  readonly workflows: Histogram
  readonly agents: Histogram
  readonly usage: Histogram
  readonly tokens: Counter
  readonly cost: Counter
}

/** The meter may come later than the first workspace: it is asked for when something is counted. */
export class Instruments {
  readonly #meter: () => Meter
  #known: { readonly meter: Meter; readonly set: Set } | undefined

  constructor(meter: () => Meter) {
    this.#meter = meter
  }

  operation(seconds: number, attributes: Attributes): void {
    this.#set.operations.record(seconds, attributes)
  }

  conflict(): void {
    this.#set.conflicts.add(1)
  }

  commit({ op }: Draft): void {
    this.#set.commits.add(1, { 'steadfold.operation': op })
  }

  spent({ type }: Event, { tokens, cost_usd }: Spent): void {
    if (tokens > 0) this.#set.tokens.add(tokens, { 'steadfold.event': type })
    if (cost_usd > 0) this.#set.cost.add(cost_usd, { 'steadfold.event': type })
  }

  work(kind: Work['kind'], seconds: number, { attributes, error }: Work): void {
    const { steps, workflows, agents, usage } = this.#set
    const pick = (...names: readonly string[]) =>
      Object.fromEntries(names.flatMap((name) => (attributes[name] === undefined ? [] : [[name, attributes[name]]])))
    const type = error === undefined ? {} : { 'error.type': error.type }
    if (kind === 'step') steps.record(seconds, { ...pick('steadfold.step.name'), ...type })
    if (kind === 'workflow') workflows.record(seconds, { ...pick('gen_ai.workflow.name'), ...type })
    if (kind === 'agent') agents.record(seconds, { ...pick('steadfold.agent.type'), ...type })
    for (const token of ['input', 'output']) {
      const count = attributes[`gen_ai.usage.${token}_tokens`]
      const of = { ...pick('gen_ai.operation.name'), 'gen_ai.token.type': token }
      if (typeof count === 'number') usage.record(count, of)
    }
  }

  get #set(): Set {
    const meter = this.#meter()
    if (this.#known?.meter !== meter) this.#known = { meter, set: instrumentsOf(meter) }
    return this.#known.set
  }
}

const instrumentsOf = (meter: Meter): Set => ({
  commits: meter.createCounter('steadfold.commits', { unit: '{commit}' }),
  conflicts: meter.createCounter('steadfold.conflicts', {
    unit: '{conflict}',
    description: 'appends that another writer was quicker with',
  }),
  operations: meter.createHistogram('steadfold.operation.duration', { unit: 's' }),
  steps: meter.createHistogram('steadfold.step.duration', { unit: 's' }),
  workflows: meter.createHistogram('gen_ai.workflow.duration', { unit: 's' }),
  agents: meter.createHistogram('gen_ai.invoke_agent.duration', { unit: 's' }),
  usage: meter.createHistogram('gen_ai.client.token.usage', { unit: '{token}' }),
  tokens: meter.createCounter('steadfold.tokens', { unit: '{token}' }),
  cost: meter.createCounter('steadfold.cost', { unit: '{USD}' }),
})
