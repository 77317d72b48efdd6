/** Paid work: workflows and single commands. */
import * as path from 'node:path'
import { orArchived } from '../../../kernel/care/put-away.ts'
import { EngineError, exitStatus } from '../../../kernel/error.ts'
import { getAt } from '../../../kernel/path/path.ts'
import type { OnceResult, RunResult } from '../../../kernel/work/runner.ts'
import { resultText, RunView } from '../answer/run-view.ts'
import { AGENTS } from '../context/agent-names.ts'
import type { App } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { isOn, listOf, needed, numberOf, textOf, timeoutOf, usage, type Input } from '../context/input.ts'
import type { Result } from '../context/result.ts'
import { quoted } from '../context/scope.ts'
import { asText } from '../show/as-text.ts'
import { aside } from '../show/aside.ts'
import { Shown } from '../show/shown.ts'
import { plain } from '../show/text.ts'
import type { Command } from '../syntax/command.ts'
import { AS } from '../syntax/flags.ts'

const run: Command<App> = {
  name: 'run',
  summary: 'run a workflow, or go on with it: what is done is never paid twice',
  examples: [
    'run review.workflow.yaml',
    'run review.workflow.yaml --max-parallel 8 --json',
    'run --session build-auth',
    'run --worker --session build-auth',
    'run -- npm test',
    'run --agent claude -- -p "fix the tests"',
  ],
  notes:
    'Run it again after a crash, a kill or Ctrl-C: finished steps are kept. With --follow --json a line that is no UTF-8 is told in text_base64, too. Exit 10: some steps failed; 11: a person is needed.',
  parameters: [
    {
      name: 'FILE',
      field: 'file',
      type: 'text',
      required: false,
      summary: 'a workflow in YAML; left out, the session goes on with the one it has',
    },
  ],
  flags: [
    {
      name: 'max-parallel',
      short: 'p',
      field: 'maxParallel',
      type: 'number',
      value: 'N',
      summary: 'most steps at a time',
    },
    { name: 'follow', field: 'follow', type: 'boolean', summary: 'show what the steps write' },
    { name: 'wait', field: 'wait', type: 'boolean', summary: 'wait at gates and for parked steps, instead of exit 11' },
    { name: 'timeout', field: 'timeout', type: 'duration', value: 'TIME', summary: 'for a single command' },
    {
      name: 'repeatable',
      field: 'repeatable',
      type: 'boolean',
      summary: 'a single command may run again when its outcome is unknown',
    },
    {
      name: 'agent',
      field: 'agent',
      type: 'text',
      value: 'AGENT',
      choices: AGENTS,
      summary: 'the words behind -- are for that agent CLI, which is watched: what it uses, and why it ends',
    },
    {
      name: 'worker',
      field: 'worker',
      type: 'boolean',
      summary:
        'take steps of a workflow that another runner drives, here or on another host; drive it when that one is lost',
    },
    {
      name: 'lease',
      field: 'lease',
      type: 'duration',
      value: 'TIME',
      summary: 'how long its steps stay its own once this runner is not heard of; default 30s',
    },
    AS,
  ],
  shares: ['session'],
  takesCommand: true,
  streams: true,
  run: async (context, input) => {
    assertHeard(input)
    if (input['agent'] !== undefined) return (await import('../agents/run.ts')).runAgent(context, input)
    const options = optionsOf(context, input)
    const runner = await context.app.runner(await context.workspace())
    const began = performance.now()
    const { result } = await aside(context.signal, async (outlet) => {
      const view = new RunView(context, outlet)
      try {
        return await begun(context, input, runner, { ...options, onEvent: view.tell })
      } finally {
        view.end()
      }
    })
    return resultOf(context, result, performance.now() - began)
  },
}

/** A step says it in its workflow; an agent is not stopped from here. */
function assertHeard(input: Input): void {
  if (listOf(input, 'command').length > 0 && input['agent'] === undefined) return
  const unheard = ['timeout', 'repeatable'].find((name) => input[name] !== undefined)
  if (unheard !== undefined)
    throw usage(
      `--${unheard} is for a single command, behind --`,
      `in a workflow each step has its own: ${unheard}: ${unheard === 'timeout' ? '5m' : 'true'}`,
    )
}

type Runner = Awaited<ReturnType<App['runner']>>
type Options = ReturnType<typeof optionsOf> & { readonly onEvent: RunView['tell'] }

function optionsOf(context: Context<App>, input: Input) {
  const maxParallel = numberOf(input, 'maxParallel')
  if (maxParallel !== undefined && !(Number.isInteger(maxParallel) && maxParallel > 0))
    throw usage(`--max-parallel takes a number above 0, not ${maxParallel}`)
  return {
    session: sessionOf(context, input),
    maxParallel,
    actor: context.actor,
    follow: isOn(input, 'follow'),
    wait: isOn(input, 'wait'),
    signal: context.signal,
    lease_ms: leaseOf(input),
  }
}

/** In a step, that of its environment is held by the runner that waits for the step: it is joined, or left alone. */
const sessionOf = (context: Context, input: Input): string | undefined =>
  isOn(input, 'worker') || context.env['STEADFOLD_STEP'] === undefined ? context.namedSession : context.askedSession

/** Shorter ones could not be renewed in time. */
function leaseOf(input: Input): number | undefined {
  const ms = numberOf(input, 'lease')
  if (ms !== undefined && !(ms >= 10_000 && ms <= 3_600_000)) throw usage('--lease takes 10s to 1h')
  return ms
}

/** Somebody may archive the session meanwhile. */
async function begun(context: Context<App>, input: Input, runner: Runner, options: Options): Promise<RunResult> {
  let id: string | undefined
  const onEvent: Options['onEvent'] = (event) => {
    if (event.type === 'run-started') id = event.session.id
    options.onEvent(event)
  }
  try {
    return await start(context, input, runner, { ...options, onEvent })
  } catch (error) {
    throw id === undefined ? error : await orArchived(await context.workspace(), id, error)
  }
}

async function start(context: Context<App>, input: Input, runner: Runner, options: Options): Promise<RunResult> {
  const argv = listOf(input, 'command')
  const file = textOf(input, 'file')
  if (file !== undefined && argv.length > 0)
    throw usage('a workflow and a command are two things', 'run FILE, or run -- CMD')
  if (isOn(input, 'worker') && (file !== undefined || argv.length > 0))
    throw usage('--worker takes steps of a session that has its workflow', 'steadfold run --worker --session NAME')
  if (argv.length > 0)
    return runner.runCommand({
      ...options,
      argv,
      timeout_ms: timeoutOf(input),
      repeatable: isOn(input, 'repeatable'),
    })
  if (file !== undefined) return runner.runWorkflow({ ...options, file: path.resolve(context.cwd, file) })
  const session = await context.session('write')
  if (isOn(input, 'worker')) return runner.takeSteps({ ...options, session })
  if (getAt(session.stored, ['workflow', 'definition']) === undefined)
    throw usage('run what? the session has no workflow', 'steadfold run FILE.workflow.yaml')
  return runner.runWorkflow({ ...options, session })
}

function resultOf(context: Context, result: RunResult, took: number): Result {
  const text = () => {
    const lines = [resultText(result, took, context.paint)]
    if (result.status !== 'completed')
      lines.push(
        ...plain(result.message).split('\\n'),
        ...(result.hint === undefined ? [] : [`next: ${context.kept(result.hint)}`]),
      )
    return lines.join('\n')
  }
  return { data: result, text, ...(result.code === undefined ? {} : { exit: exitStatus(result.code) }) }
}

const once: Command<App> = {
  name: 'once',
  summary: 'run a command once for a key, and keep its result',
  examples: [
    'once build -- npm run build',
    'once "summary-$(git rev-parse HEAD)" --timeout 5m -- claude -p "summarise"',
    'once pay --repeatable --json -- ./pay.sh',
  ],
  notes:
    'The same key again prints the kept output and runs nothing. The command reads stdin, unless that is a terminal. Where nobody reads its output any more, as behind | head, it goes on under its timeout, and its output is kept. With --json, stdout is text; what is no UTF-8 is told in stdout_base64, too. Exit 10 when it failed; 11: it is parked until a person releases it.',
  parameters: [
    {
      name: 'KEY',
      field: 'key',
      type: 'text',
      required: true,
      summary: 'what this work is called; unique in the session',
    },
  ],
  flags: [
    { name: 'timeout', field: 'timeout', type: 'duration', value: 'TIME', summary: 'stop it after that' },
    {
      name: 'repeatable',
      field: 'repeatable',
      type: 'boolean',
      summary: 'it may run again when its outcome is unknown',
    },
    AS,
  ],
  shares: ['session'],
  takesCommand: true,
  run: async (context, input) => {
    const argv = listOf(input, 'command')
    if (argv.length === 0) throw usage('once needs a command', `steadfold once ${quoted(needed(input, 'key'))} -- CMD`)
    const { actor } = context
    const runner = await context.app.runner(await context.workspace())
    const session = await context.session('write')
    const kept: Uint8Array[] = []
    const shown = new Shown()
    const { result: done, trouble } = await aside(context.signal, async (outlet) => {
      const result = await runner.once({
        session,
        key: needed(input, 'key'),
        argv,
        actor,
        // A process in a session of its own cannot read a terminal.
        stdin: context.io.isTerminal('in') ? undefined : 'inherit',
        onOutput: (stream, chunk) => {
          if (stream === 'stderr') shown.show(() => context.io.err(chunk))
          else if (context.json) kept.push(Uint8Array.from(chunk))
          else shown.show(() => context.io.out(chunk))
          return outlet.hasRoom
        },
        onWait: (why) => shown.show(() => context.note(`waiting: ${plain(why)}`)),
        timeout_ms: timeoutOf(input),
        repeatable: isOn(input, 'repeatable'),
        signal: context.signal,
      })
      shown.show(() => keptNote(context, needed(input, 'key'), result))
      return result
    })
    if (trouble !== undefined) shown.met(trouble)
    const data = { ...done, key: needed(input, 'key'), ...asText('stdout', Buffer.concat(kept)) }
    if (done.exit !== 0)
      throw new EngineError('STEP_FAILED', `${argv[0] ?? ''}: ${done.reason ?? `exit ${done.exit}`}`, {
        hint: `steadfold step show ${quoted(needed(input, 'key'))}`,
        details: data,
      })
    shown.end()
    return { data, text: '' }
  },
}

function keptNote(context: Context, key: string, { kind, truncated, lost }: OnceResult): void {
  const paint = context.paintFor('err')
  if (kind !== 'ran') context.note(paint.dim(`kept from before: ${key}, not run again`))
  const warning = paint.yellow('warning:')
  for (const stream of truncated)
    context.note(
      lost.includes(stream)
        ? `${warning} its ${stream} is lost: what was kept of it is gone, or altered; ${context.kept('steadfold verify --deep')}`
        : `${warning} this is not all of its ${stream}: only the end is kept`,
    )
}

export const runCommands: readonly Command<App>[] = [run, once]
