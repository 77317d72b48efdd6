/*
 * Completion for bash, zsh and fish: their script asks `steadfold complete -- WORDS`.
 *
 * Scripts for bash and zsh are our own: those of the package run what is typed, and names, when somebody presses TAB.
 */
import { RootCommand } from '@bomb.sh/tab'
import { EngineError } from '../../../kernel/error.ts'
import type { App } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { listOf, needed } from '../context/input.ts'
import { nameOf } from '../context/scope.ts'
import type { Command, Flag, Parameter } from '../syntax/command.ts'
import { flagsOf } from '../syntax/flags.ts'

const SHELLS = ['bash', 'zsh', 'fish']
const PROGRAM = 'steadfold'
/** Tells the shell to offer files where there is nothing else. */
const FILES = ':0'

export function completionCommands(all: () => Promise<readonly Command<App>[]>): readonly Command<App>[] {
  return [
    completion,
    { ...complete, run: async (context, input) => answer(context, await all(), listOf(input, 'command')) },
  ]
}

const completion: Command<App> = {
  name: 'completion',
  summary: 'print what a shell needs to complete commands, flags and sessions',
  examples: [
    'completion bash > ~/.local/share/bash-completion/completions/steadfold',
    'completion zsh > ~/.zfunc/_steadfold',
    'completion fish > ~/.config/fish/completions/steadfold.fish',
  ],
  notes: 'The folder has to be there: mkdir -p makes it. zsh looks into those that its fpath names.',
  parameters: [
    { name: 'SHELL', field: 'shell', type: 'text', required: true, choices: SHELLS, summary: 'bash, zsh or fish' },
  ],
  flags: [],
  shares: [],
  run: async ({ app }, input) => {
    const shell = needed(input, 'shell')
    const text =
      shell === 'bash' || shell === 'zsh'
        ? app.completion(shell).trimEnd()
        : printed(() => new RootCommand().setup(PROGRAM, PROGRAM, shell))
    return { data: { shell, script: text }, text }
  },
}

const complete: Omit<Command<App>, 'run'> = {
  name: 'complete',
  summary: 'what could come next on a command line, for completion scripts',
  examples: ["complete -- state ''"],
  parameters: [],
  flags: [],
  shares: [],
  takesCommand: true,
  hidden: true,
}

async function answer(context: Context<App>, commands: readonly Command<App>[], words: readonly string[]) {
  const sessions = await sessionNames(context)
  const lines = printed(() => rootOf(commands, sessions).parse([...words])).split('\n')
  const found = lines.slice(0, -1)
  const text = [...found, found.length === 0 ? FILES : (lines.at(-1) ?? FILES)].join('\n')
  return { data: found.map((line) => ({ value: line.split('\t')[0], summary: line.split('\t')[1] ?? '' })), text }
}

/** Without a workspace there is nothing to offer, and nothing to say. A name that no line could hold is left out. */
async function sessionNames(context: Context<App>): Promise<readonly string[]> {
  const names: string[] = []
  try {
    for await (const session of (await context.workspace()).sessions()) names.push(nameOf(session))
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
  }
  return names.filter((name) => !/\p{Cc}/u.test(name))
}

function rootOf(commands: readonly Command<App>[], sessions: readonly string[]): RootCommand {
  const root = new RootCommand()
  const shown = commands.filter(({ hidden }) => hidden !== true)
  for (const { name } of shown.filter((command) => command.name.includes(' '))) {
    const [noun = ''] = name.split(' ')
    const verbs = shown.flatMap((command) =>
      command.name.startsWith(`${noun} `) ? [command.name.slice(noun.length + 1)] : [],
    )
    root.command(noun, verbs.join(' '))
  }
  for (const command of shown) {
    const made = root.command(command.name, command.summary)
    for (const flag of flagsOf(command)) {
      if (flag.type === 'boolean') made.option(flag.name, flag.summary, flag.short)
      else
        made.option(
          flag.name,
          flag.summary,
          (offer) => choicesOf(flag, sessions).forEach((choice) => offer(choice, '')),
          flag.short,
        )
    }
    for (const parameter of command.parameters) {
      made.argument(
        parameter.name,
        (offer) => choicesOf(parameter, sessions).forEach((choice) => offer(choice, '')),
        parameter.rest === true,
      )
    }
  }
  return root
}

function choicesOf({ name, choices }: Flag | Parameter, sessions: readonly string[]): readonly string[] {
  return choices ?? (name.toLowerCase() === 'session' ? sessions : [])
}

/** The library prints; its lines are wanted as text. */
function printed(print: () => void): string {
  const lines: string[] = []
  const console = globalThis.console
  const before = console.log
  console.log = (line: string) => void lines.push(line)
  try {
    print()
  } finally {
    console.log = before
  }
  return lines.join('\n')
}
