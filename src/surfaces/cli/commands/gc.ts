/** Retention: what has ended, is done or is left over, said first and done with --yes. */
import type { Retained, RetentionPlan, RetentionStep } from '../../../kernel/care/retention.ts'
import { nearLimits, type Near } from '../../../kernel/replica/limits.ts'
import type { App } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { isOn, numberOf, textOf } from '../context/input.ts'
import { EXIT_PARTIAL } from '../context/result.ts'
import { nameOf, quoted } from '../context/scope.ts'
import { bytes, count, plain, thousands } from '../show/text.ts'
import type { Command } from '../syntax/command.ts'
import { AS } from '../syntax/flags.ts'

export const gc: Command<App> = {
  name: 'gc',
  summary: 'put away what has ended, is done or is left over',
  notes:
    'Without --yes it says what it would do, and does nothing. Nothing that is live, does not verify, or waits in the spool is touched. ' +
    'Archived sessions stay readable: session show ID --archived.',
  examples: [
    'gc',
    'gc --yes',
    'gc build-auth --archive-after 0s',
    'gc --archive-after 30d --tidy-after 12h --yes --json',
  ],
  parameters: [
    {
      name: 'SESSION',
      field: 'named',
      type: 'text',
      required: false,
      summary: 'only this one: whole id or exact name',
    },
  ],
  flags: [
    {
      name: 'archive-after',
      field: 'archive',
      type: 'duration',
      value: 'TIME',
      summary: 'since its end; archiveHours of config.json when left out',
    },
    {
      name: 'tidy-after',
      field: 'tidy',
      type: 'duration',
      value: 'TIME',
      summary: 'since tasks were finished and letters died; tidyHours when left out',
    },
    { name: 'yes', short: 'y', field: 'yes', type: 'boolean', summary: 'do it' },
    { name: 'dry-run', short: 'n', field: 'dryRun', type: 'boolean', summary: 'only say it, also with --yes' },
    AS,
  ],
  shares: [],
  run: async (context, input) => {
    const workspace = await context.workspace()
    const named = textOf(input, 'named')
    const session = named === undefined ? undefined : (await context.session('remove', named)).id
    const [archive, tidy] = [numberOf(input, 'archive'), numberOf(input, 'tidy')]
    const policy = { ...(archive === undefined ? {} : { archive }), ...(tidy === undefined ? {} : { tidy }) }
    const { actor } = context
    const plan = await context.app.retention.plan(workspace, { ...policy, session })
    const doIt = isOn(input, 'yes') && !isOn(input, 'dryRun')
    const done = doIt ? await context.app.retention.carryOut(workspace, plan, actor) : undefined
    const failed = done?.filter(({ error }) => error !== undefined) ?? []
    return {
      data: { done: doIt, policy: plan.policy, steps: done?.map(stepData) ?? plan.steps },
      text: () =>
        [
          ...plan.steps.flatMap((step) => lineOf(context, step)),
          ...(done === undefined ? untilThen(context, plan, { named, archive, tidy }) : tail(context, plan, done)),
        ].join('\n'),
      ...(failed.length > 0 ? { exit: EXIT_PARTIAL } : {}),
    }
  },
}

const stepData = ({ step, error }: Retained) => ({ ...step, ...(error === undefined ? {} : { error }) })

/** The same words before and after. */
function lineOf(context: Context, step: RetentionStep): readonly string[] {
  const { paint } = context
  const head = (word: string, name: string | null) =>
    `${(step.kind === 'keep' ? paint.yellow : paint.bold)(word.padEnd(7))}  ${name === null ? '' : `${plain(name)}  `}`
  switch (step.kind) {
    case 'archive':
      return [
        `${head('archive', step.name)}${step.why}; ${count(step.commits, 'commit')}, ${bytes(step.state_bytes)} of state`,
      ]
    case 'tidy':
      return [`${head('tidy', step.name)}${step.what.map(plain).join(', ')}`]
    case 'remove': {
      const size = step.items.reduce((sum, item) => sum + item.bytes, 0)
      const why = step.what === 'blob' ? 'no commit names' : 'a killed writer left'
      return [`${head('remove', step.name)}${count(step.items.length, step.what)} that ${why} (${bytes(size)})`]
    }
    case 'keep':
      return [`${head('keep', step.name)}${plain(step.why)}`, `         ${paint.dim(plain(context.kept(step.next)))}`]
  }
}

const todoOf = ({ steps }: RetentionPlan): number => steps.filter(({ kind }) => kind !== 'keep').length

/** Nothing was done: the line that does just what was said. */
function untilThen(context: Context, plan: RetentionPlan, asked: Asked): readonly string[] {
  const todo = todoOf(plan)
  if (todo === 0) return ['nothing to do']
  const words = [
    ...(asked.named === undefined ? [] : [quoted(asked.named)]),
    ...(asked.archive === undefined ? [] : ['--archive-after', typed(asked.archive)]),
    ...(asked.tidy === undefined ? [] : ['--tidy-after', typed(asked.tidy)]),
  ]
  const line = context.kept(`steadfold ${['gc', ...words, '--yes'].join(' ')}`)
  return [context.paint.dim(`nothing was done; ${line} does ${todo === 1 ? 'it' : 'them'}`)]
}

interface Asked {
  readonly named: string | undefined
  readonly archive: number | undefined
  readonly tidy: number | undefined
}

const UNITS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 }

/** A time as it may be typed, to the millisecond. */
function typed(ms: number): string {
  const [unit, size] = Object.entries(UNITS).find(([, each]) => ms % each === 0) ?? ['ms', 1]
  return `${ms / size}${unit}`
}

function tail({ paint }: Context, plan: RetentionPlan, done: readonly Retained[]): readonly string[] {
  const todo = todoOf(plan)
  if (todo === 0) return ['nothing to do']
  const failed = done.filter(({ error }) => error !== undefined)
  return [
    ...failed.map(({ step, error }) => `${paint.red('failed')}   ${step.kind}  ${plain(error?.message ?? '')}`),
    `${paint.green('done')}     ${thousands(todo - failed.length)} of ${thousands(todo)}`,
  ]
}

/** Sessions that come near a limit of the workspace. */
export async function nearIn(context: Context<App>): Promise<readonly (Near & { readonly name: string })[]> {
  const { kernel } = await context.workspace()
  const attic = await kernel.log.attic?.()
  const found: (Near & { readonly name: string })[] = []
  for await (const session of (await context.workspace()).sessions()) {
    const blobs = (await attic?.blobs(session.id, 0)) ?? []
    const state = JSON.stringify(await session.stateAt()).length
    const blob = Math.max(0, ...blobs.map((each) => each.bytes))
    const name = nameOf(session)
    const near = nearLimits(kernel.settings, { state, commits: session.seq, blob })
    found.push(...near.map((each) => ({ ...each, name })))
    await session.close()
  }
  return found
}
