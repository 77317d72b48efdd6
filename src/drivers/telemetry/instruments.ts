import type { Attributes, Counter, Histogram, Meter } from '@opentelemetry/api'
import type { Draft, Event } from '../../kernel/log/commit.ts'
import type { Spent } from './spending.ts'
import type { Work } from './work.ts'

interface Set {
  readonly commits: Counter
  readonly conflicts: Counter
  readonly operations: Histogram
  readonly steps: Histogram
  readonly tools: Histogram
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

  /** Each under the name of what it is, as its span says; steps under one of their own as well. */
  work(seconds: number, { kind, attributes, error }: Work): void {
    const { steps, tools, agents, usage } = this.#set
    const pick = (...names: readonly string[]) =>
      Object.fromEntries(names.flatMap((name) => (attributes[name] === undefined ? [] : [[name, attributes[name]]])))
    const type = error === undefined ? {} : { 'error.type': error.type }
    if (kind === 'step') steps.record(seconds, { ...pick('steadfold.step.name'), ...type })
    const operation = attributes['gen_ai.operation.name']
    const of = pick('gen_ai.operation.name', 'gen_ai.agent.name', 'gen_ai.tool.name', 'steadfold.agent.type')
    if (operation === 'execute_tool') tools.record(seconds, { ...of, ...type })
    else if (operation !== undefined) agents.record(seconds, { ...of, ...type })
    for (const token of ['input', 'output']) {
      const count = attributes[`gen_ai.usage.${token}_tokens`]
      if (typeof count === 'number')
        usage.record(count, { ...pick('gen_ai.operation.name'), 'steadfold.token.type': token })
    }
  }

  get #set(): Set {
    const meter = this.#meter()
    if (this.#known?.meter !== meter) this.#known = { meter, set: instrumentsOf(meter) }
    return this.#known.set
  }
}

/** Seconds of a call, of a tool, and of an agent; tokens. The SDK's own are for milliseconds: they would put nearly all below the first. */
const CALL = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const TOOL = Array.from({ length: 14 }, (_, i) => 0.01 * 2 ** i)
const AGENT = Array.from({ length: 13 }, (_, i) => 0.1 * 2 ** i)
const TOKENS = Array.from({ length: 14 }, (_, i) => 4 ** i)

const among = (unit: string, explicitBucketBoundaries: number[]) => ({ unit, advice: { explicitBucketBoundaries } })

const instrumentsOf = (meter: Meter): Set => ({
  commits: meter.createCounter('steadfold.commits', { unit: '{commit}' }),
  conflicts: meter.createCounter('steadfold.conflicts', {
    unit: '{conflict}',
    description: 'appends that another writer was quicker with',
  }),
  operations: meter.createHistogram('steadfold.operation.duration', among('s', CALL)),
  steps: meter.createHistogram('steadfold.step.duration', among('s', AGENT)),
  tools: meter.createHistogram('gen_ai.execute_tool.duration', among('s', TOOL)),
  agents: meter.createHistogram('gen_ai.invoke_agent.duration', among('s', AGENT)),
  usage: meter.createHistogram('steadfold.step.tokens', among('{token}', TOKENS)),
  tokens: meter.createCounter('steadfold.tokens', { unit: '{token}' }),
  cost: meter.createCounter('steadfold.cost', { unit: '{USD}' }),
})
