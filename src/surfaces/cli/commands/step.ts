/** The ledger of paid work. Retry, park and release are made from their operations. */
import { membersOf } from '../../../kernel/json/members.ts'
import { duration } from '../../../kernel/text/duration.ts'
import type { Context } from '../context/context.ts'
import { textOf } from '../context/input.ts'
import { fit, leftOut, type Column } from '../show/fit.ts'
import { dollars, plain, thousands } from '../show/text.ts'
import { textAt } from '../show/view.ts'
import type { Command } from '../syntax/command.ts'
import { readAt } from './workflow.ts'

const list: Command = {
  name: 'step list',
  summary: 'the steps of a session and what became of them',
  examples: ['step list', 'step list --status parked', 'step list --at draft-done --json'],
  notes:
    'It lists what has begun. A step of the workflow that never did, or that was skipped because of another, is counted by `status` alone. What is running there may be run by nobody after a crash: `status` says STOPPED.',
  parameters: [],
  flags: [
    {
      name: 'status',
      field: 'status',
      type: 'text',
      value: 'STATUS',
      choices: ['running', 'finished', 'failed', 'parked', 'ready'],
      summary: 'only those',
    },
  ],
  shares: ['session', 'at'],
  run: async (context, input) => {
    const data = await readAt(context, 'step.list', { status: textOf(input, 'status') })
    return { data, text: () => listText(context, Array.isArray(data) ? data.map((row) => membersOf(row)) : []) }
  },
}

type Row = Readonly<Record<string, unknown>>

/** In the order in which they stand. How a step stands is read with its name; the rest goes first where there is no room. */
const LISTED: readonly Column[] = [
  { name: 'step' },
  { name: 'status' },
  { name: 'state', rank: 2 },
  { name: 'duration', rank: 3 },
  { name: 'tokens', rank: 4 },
  { name: 'cost', rank: 4 },
  { name: 'reason', rank: 1, least: 12 },
]

function listText({ paint, io }: Context, rows: readonly Row[]): string {
  if (rows.length === 0) return 'no steps'
  const number = (row: Row, field: string) => (typeof row[field] === 'number' ? row[field] : 0)
  const cells = rows.map((row) => [
    plain(textAt(row['name']) ?? ''),
    textAt(row['status']) ?? '',
    plain(textAt(row['state']) ?? ''),
    number(row, 'duration_ms') > 0 ? duration(number(row, 'duration_ms')) : '',
    number(row, 'tokens') > 0 ? `${thousands(number(row, 'tokens'))} tokens` : '',
    dollars(number(row, 'cost_usd')),
    [
      number(row, 'attempts') > 1 ? `${number(row, 'attempts')} attempts` : '',
      number(row, 'reused') > 0 ? `reused ${number(row, 'reused')}` : '',
      plain(textAt(row['reason']) ?? ''),
    ]
      .filter((part) => part !== '')
      .join('  '),
  ])
  const used = LISTED.map((_, i) => cells.some((row) => row[i] !== ''))
  const dyes: Readonly<Record<string, (text: string) => string>> = {
    finished: paint.green,
    failed: paint.red,
    parked: paint.yellow,
    running: paint.cyan,
  }
  const { lines, missing } = fit(
    cells.map((row) => row.filter((_, i) => used[i] === true)),
    LISTED.filter((_, i) => used[i] === true),
    io.width,
  )
  const dyed = lines.map((line, i) =>
    line.replace(/(?<= {2})(finished|failed|parked|running)\b/, (word) => dyes[cells[i]?.[1] ?? '']?.(word) ?? word),
  )
  return [...dyed, ...leftOut(missing).map(paint.dim)].join('\n')
}

export const hotStepCommands: readonly Command[] = [list]
