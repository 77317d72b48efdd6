/*
 * Flags that many commands share.
 *
 * F1. Their fields begin with dashes, which no member of an operation's input does: `chat remember CONVERSATION KEY` and
 *     `--key` are two things.
 */
import type { Command, Flag, FlagSet } from './command.ts'

/** Every command has these. */
export const EVERYWHERE: readonly Flag[] = [
  { name: 'json', field: '--json', type: 'boolean', summary: 'one JSON object on stdout; streams are NDJSON' },
  {
    name: 'dir',
    field: '--dir',
    type: 'text',
    value: 'DIR',
    summary: 'folder that holds .steadfold, or the address of a database',
  },
  {
    name: 'color',
    field: '--color',
    type: 'text',
    value: 'WHEN',
    choices: ['auto', 'always', 'never'],
    summary: 'when to use colour',
  },
]

/** For commands that only read: the workspace is then that of the archived sessions. */
export const ARCHIVED: Flag = {
  name: 'archived',
  field: '--archived',
  type: 'boolean',
  summary: 'look at the sessions that were put away',
}

export const AS: Flag = {
  name: 'as',
  field: '--as',
  type: 'text',
  value: 'ACTOR',
  summary: 'who asks: human:NAME, agent:NAME or tool:NAME',
}

/** Of what makes a session. */
export const BEGIN_KEY: Flag = {
  name: 'key',
  field: '--key',
  type: 'text',
  value: 'KEY',
  summary: 'idempotency key of its first commit; asked again with it, answers with the session that it began',
}

const SAYS: readonly Flag[] = [
  AS,
  { name: 'reason', field: '--reason', type: 'text', value: 'TEXT', summary: 'why, kept in the log' },
  {
    name: 'dry-run',
    short: 'n',
    field: '--dry-run',
    type: 'boolean',
    summary: 'say what would be written, and write nothing',
  },
]

const SETS: Readonly<Record<FlagSet, readonly Flag[]>> = {
  session: [
    {
      name: 'session',
      short: 's',
      field: '--session',
      type: 'text',
      value: 'ID',
      summary: 'session by id, beginning of an id, or name',
    },
  ],
  at: [
    {
      name: 'at',
      field: '--at',
      type: 'text',
      value: 'POINT',
      summary: 'as it was then: 17, @-3, a mark, 2h, an ISO time',
    },
  ],
  begin: SAYS,
  write: [
    {
      name: 'if-seq',
      field: '--if-seq',
      type: 'number',
      value: 'N',
      summary: 'only if the session stands at N, else exit 5',
    },
    {
      name: 'key',
      field: '--key',
      type: 'text',
      value: 'KEY',
      summary: 'do it once for this key, however often it is asked',
    },
    ...SAYS,
  ],
}

/** Own flags first, then the shared ones; an own flag of the same name counts. */
export function flagsOf(command: Pick<Command, 'flags' | 'shares'>): readonly Flag[] {
  const own = new Set(command.flags.map(({ name }) => name))
  const shared = command.shares.flatMap((set) => SETS[set]).filter(({ name }) => !own.has(name))
  return [...command.flags, ...shared, ...EVERYWHERE]
}
