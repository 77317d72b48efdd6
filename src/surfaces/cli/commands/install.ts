/** Hooks and tools put into the settings of agent CLIs, shown first, and taken out again byte for byte. */
import { lineDifference } from '../agents/difference.ts'
import { Keeper } from '../agents/keeper.ts'
import { targetsOf, type Scope } from '../agents/plan.ts'
import type { Target } from '../agents/target.ts'
import { AGENTS, type Agent } from '../context/agent-names.ts'
import type { App } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { isOn, needed, usage, type Input } from '../context/input.ts'
import { plainLines } from '../show/text.ts'
import type { Command, Flag, Parameter } from '../syntax/command.ts'

const AGENT: Parameter = {
  name: 'AGENT',
  field: 'agent',
  type: 'text',
  required: true,
  choices: AGENTS,
  summary: 'whose settings',
}

const WHERE: readonly Flag[] = [
  { name: 'user', field: 'user', type: 'boolean', summary: 'for all your projects' },
  { name: 'project', field: 'project', type: 'boolean', summary: 'for this workspace alone; the default' },
  { name: 'dry-run', short: 'n', field: 'dryRun', type: 'boolean', summary: 'show the change, and change nothing' },
]

interface Change {
  readonly target: Target
  readonly before: string | undefined
  /** Null: the file goes. */
  readonly after: string | null
}

const install: Command<App> = {
  name: 'install',
  summary: 'put hooks and tools into the settings of an agent CLI',
  examples: [
    'install claude --dry-run',
    'install claude',
    'install codex --user',
    'install gemini --gate',
    'install opencode',
  ],
  notes:
    'The exact change is printed. What is there stays; the file is kept first, and uninstall gives it back. Codex asks you to trust new hooks: /hooks. opencode gets a plugin, a file of its own.',
  parameters: [AGENT],
  flags: [
    ...WHERE,
    {
      name: 'gate',
      field: 'gate',
      type: 'boolean',
      summary: 'block tools that must not run now; see steadfold hook --gate',
    },
  ],
  shares: [],
  run: async (context, input) => {
    const edited = await editors()
    const keeper = new Keeper(context)
    const changes = targets(context, input).map((target): Change => {
      const before = keeper.read(target.file)
      const was = keeper.kept(target.file) === undefined ? undefined : keeper.before(target.file)
      const after = edited[target.format].put(before ?? '', target, was)
      return { target, before, after }
    })
    const due = changes.filter(({ before, after }) => before !== after)
    const kept = isOn(input, 'dryRun')
      ? []
      : due.map(({ target, before, after }) => keeper.change(target.file, before, after ?? ''))
    return said(context, input, { due, kept })
  },
}

const uninstall: Command<App> = {
  name: 'uninstall',
  summary: 'take out of the settings of an agent CLI what install put in',
  examples: ['uninstall claude --dry-run', 'uninstall codex --user'],
  notes:
    'A file that nobody changed since is given back byte for byte; in one that was changed only our entries are taken out.',
  parameters: [AGENT],
  flags: WHERE,
  shares: [],
  run: async (context, input) => {
    const edited = await editors()
    const keeper = new Keeper(context)
    const changes = targets(context, input).flatMap((target): readonly Change[] => {
      const before = keeper.read(target.file)
      if (before === undefined) return []
      const original = keeper.original(target.file, before)
      const was = keeper.before(target.file)
      const without = () => edited[target.format].take(before, target, was)
      return [{ target, before, after: original === undefined ? without() : original }]
    })
    const due = changes.filter(({ before, after }) => before !== after)
    // The last first: a folder was made for the first of the files in it.
    if (!isOn(input, 'dryRun'))
      for (const { target, before, after } of due.toReversed()) keeper.giveBack(target.file, before ?? '', after)
    return said(context, input, { due, kept: [] })
  },
}

interface Editor {
  /** `was`: the text before anything was put in, where that is known. */
  readonly put: (text: string, target: Target, was: string | undefined) => string
  /** Null: the file goes. */
  readonly take: (text: string, target: Target, was: string) => string | null
}

/** Loaded on use: no other command needs them. */
async function editors() {
  const [json, toml, plugin] = await Promise.all([
    import('../agents/settings.ts'),
    import('../agents/toml.ts'),
    import('../agents/plugin-file.ts'),
  ])
  return {
    json: { put: json.withTarget, take: json.withoutTarget },
    toml: { put: toml.withTable, take: (text, _target, was) => toml.withoutTable(text, was) },
    plugin: { put: plugin.withPlugin, take: (text) => (plugin.isPlugin(text) ? null : text) },
  } satisfies Readonly<Record<Target['format'], Editor>>
}

function targets(context: Context<App>, input: Input): readonly Target[] {
  if (isOn(input, 'user') && isOn(input, 'project'))
    throw usage('--user and --project are two places', 'give one of them')
  const scope: Scope = isOn(input, 'user') ? 'user' : 'project'
  const agent = needed(input, 'agent')
  // The parser takes no other.
  return targetsOf(context, { agent: agent as Agent, scope, gate: isOn(input, 'gate') })
}

function said(
  { paint }: Context,
  input: Input,
  { due, kept }: { readonly due: readonly Change[]; readonly kept: readonly string[] },
) {
  const dryRun = isOn(input, 'dryRun')
  const files = due.map(({ target, before, after }, i) => ({
    file: target.file,
    created: before === undefined,
    removed: after === null,
    kept: kept[i] ?? null,
  }))
  const dye = (line: string) =>
    line.startsWith('+') ? paint.green(line) : line.startsWith('-') ? paint.red(line) : line
  const text = () =>
    due.length === 0
      ? 'nothing to do'
      : due
          .flatMap(({ target, before, after }, i) => [
            paint.bold(target.file),
            ...lineDifference(before ?? '', after ?? '').map((line) => dye(plainLines(line))),
            dryRun
              ? paint.dim('would be changed')
              : kept[i] === undefined
                ? 'done'
                : `done; kept as it was in ${kept[i]}`,
          ])
          .join('\n')
  return { data: { dry_run: dryRun, files }, text }
}

export const installCommands: readonly Command<App>[] = [install, uninstall]
