/** What would be taken out of a text before it is written. */
import { EngineError } from '../../../kernel/error.ts'
import { DEFAULTS } from '../../../kernel/kernel.ts'
import { makeRedactor, type Redactor } from '../../../kernel/redact/redact.ts'
import type { Finding } from '../../../kernel/redact/rules.ts'
import type { Context } from '../context/context.ts'
import { needed } from '../context/input.ts'
import type { Result } from '../context/result.ts'
import { columns, count, plain } from '../show/text.ts'
import type { Command } from '../syntax/command.ts'
import { readText } from '../syntax/value.ts'

const SHOWN = 4

const test: Command = {
  name: 'redact test',
  summary: 'show what would be taken out of a file before it is written',
  examples: ['redact test notes.md', 'env | redact test -', 'redact test .env --json'],
  notes:
    'Writes nothing, and shows the first characters of a secret only. Rules and names come from config.json of the workspace; outside of one, those that are built in.',
  parameters: [{ name: 'FILE', field: 'file', type: 'text', required: true, summary: 'a text file; - for stdin' }],
  flags: [],
  shares: [],
  run: async (context, input) => {
    const redactor = await rules(context)
    const text = readText(context, needed(input, 'file'))
    const found = (redactor?.findings(text) ?? []).map((finding) => described(text, finding))
    return { data: { enabled: redactor !== undefined, found }, text: () => foundText(context, redactor, found) }
  },
}

const list: Command = {
  name: 'redact rules',
  summary: 'the rules that are applied here',
  examples: ['redact rules', 'redact rules --json'],
  parameters: [],
  flags: [],
  shares: [],
  run: async (context): Promise<Result> => {
    const redactor = await rules(context)
    const data = { enabled: redactor !== undefined, rules: redactor?.ruleIds ?? [] }
    return { data, text: () => (data.enabled ? data.rules.join('\n') : OFF) }
  },
}

const OFF = 'nothing is taken out: redaction.enabled is false in config.json'

async function rules(context: Context): Promise<Redactor | undefined> {
  try {
    return (await context.workspace()).kernel.redactor
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'WORKSPACE_NOT_FOUND' || context.namedDir !== undefined)
      throw error
    return makeRedactor(DEFAULTS.redaction)
  }
}

interface Described {
  readonly rule: string
  readonly line: number
  readonly column: number
  readonly length: number
  /** Its first characters. */
  readonly begins: string
}

function described(text: string, { rule, start, end }: Finding): Described {
  const before = text.slice(0, start).split('\n')
  const begins = text.slice(start, Math.min(end, start + SHOWN))
  return { rule, line: before.length, column: (before.at(-1)?.length ?? 0) + 1, length: end - start, begins }
}

function foundText({ io, paint }: Context, redactor: Redactor | undefined, found: readonly Described[]): string {
  if (redactor === undefined) return OFF
  if (found.length === 0) return 'nothing would be taken out'
  const rows = found.map(({ rule, line, column, length, begins }) => [
    `${line}:${column}`,
    rule,
    plain(`${begins}…`),
    paint.dim(`${length} characters`),
  ])
  return [...columns(rows, { width: io.width }), '', `${count(found.length, 'secret')} would be taken out`].join('\n')
}

export const redactCommands: readonly Command[] = [test, list]
