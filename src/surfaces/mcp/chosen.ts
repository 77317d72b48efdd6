/*
 * The twenty tools: what a coding agent asks for while it works. Everything else is a command of the shell that it has.
 *
 * More tools make a model choose worse, and each is read at the beginning of every conversation.
 */

type Schema = Readonly<Record<string, unknown>>

export interface Chosen {
  /** `noun.verb` of the catalogue, or one of the views. */
  readonly operation: string
  /** Instead of the summary of the operation. */
  readonly about?: string
  /** What a field means where its name does not say it. */
  readonly fields?: Readonly<Record<string, string>>
  /** Of writes: something that was there is gone or replaced in the state; the log keeps it. */
  readonly destructive?: true
  /** Of writes: the same again changes nothing more, or is refused. */
  readonly idempotent?: true
  /** Answers with pages of a list. */
  readonly list?: true
  /** JSON Schema of what comes back in `value`, or of each of the `items`. */
  readonly value?: Schema
}

/** Tools that are made here from what the kernel shows, without an operation behind them. */
export const VIEWS = ['session.show', 'inbox.list'] as const

const text = { type: 'string' } as const
const whole = { type: 'integer' } as const
const object = (properties: Schema): Schema => ({ type: 'object', properties })
const orNull = (type: string) => ({ type: [type, 'null'] })

const TOKEN = 'the fencing token that the claim answered with; one that is worth nothing any more is refused'
const AGENT = 'name of the agent; the one who asks when left out'
const TASK = object({
  id: text,
  title: text,
  status: text,
  ready: { type: 'boolean' },
  priority: text,
  assignee: orNull('string'),
  token: orNull('integer'),
  waits_for: { type: 'array', items: text },
})

export const CHOSEN: readonly Chosen[] = [
  {
    operation: 'session.show',
    about: 'Where a session stands: goal, workflow, steps, tasks, agents, cost, and what needs a person. Begin here',
  },
  {
    operation: 'inbox.list',
    about: 'What needs a person in all sessions, oldest first, each with the command that answers it',
    fields: { session: 'of this one alone; of all when left out' },
    list: true,
    value: object({ kind: text, session: text, name: text, what: text, why: text, since: text, next: text }),
  },
  {
    operation: 'state.get',
    about: 'The value at a path of the state, such as $.data.topic or $.execution.tasks',
    fields: { path: 'dotted or bracketed; $ is the whole document' },
  },
  {
    operation: 'state.query',
    list: true,
    fields: { query: 'JSONPath: $.execution.tasks[?@.status=="blocked"]', paths: 'answer with the paths, too' },
  },
  {
    operation: 'state.set',
    about: 'Set the value at a path below $.data, which is free for agents to use',
    fields: { value: 'any JSON' },
    destructive: true,
    idempotent: true,
  },
  { operation: 'task.list', list: true, value: TASK },
  { operation: 'task.ready', list: true, value: TASK, fields: { limit: 'how many at most' } },
  {
    operation: 'task.add',
    fields: {
      id: 'task- and a-z, 0-9 or hyphens',
      needs: 'ids of tasks that must be done first',
      effort: 'estimate, in points',
      criteria: 'when it is done',
    },
    value: object({ id: text, title: text }),
  },
  {
    operation: 'task.claim',
    fields: {
      task: 'its id; leave it out and set any to take the first that is ready',
      ttl_ms: 'the claim ends by itself after this time, 15 minutes when left out',
    },
    value: object({ id: text, token: whole, holder: text, expires: whole }),
  },
  { operation: 'task.done', fields: { token: TOKEN, effort: 'points it took' }, idempotent: true },
  { operation: 'task.fail', fields: { token: TOKEN }, idempotent: true },
  {
    operation: 'message.send',
    fields: {
      to: 'names of agents; left out for the channels broadcast and emergency',
      payload: 'any JSON',
      correlation_id: 'what it answers',
    },
    value: object({ id: text }),
  },
  {
    operation: 'message.receive',
    fields: { agent: AGENT, lease_ms: 'acknowledge within this time, else it comes again' },
    value: { type: 'array', items: object({ id: text, token: whole, from: text, payload: {} }) },
  },
  { operation: 'message.ack', fields: { agent: AGENT, token: 'came with the message' }, idempotent: true },
  {
    operation: 'lock.acquire',
    fields: {
      resource: 'what is locked: a path, or any word that all agree on',
      wait_ms:
        'take a place in the queue for so long instead of a refusal; the same call again says whether it is yours',
      owner: 'tells apart what the same agent does at the same time',
    },
    idempotent: true,
  },
  { operation: 'lock.release', fields: { token: TOKEN }, idempotent: true },
  {
    operation: 'handoff.create',
    fields: { to: 'name of the agent that shall take over', artifacts: 'files and commits that go with it' },
    value: object({ id: text }),
  },
  { operation: 'handoff.accept', idempotent: true },
  {
    operation: 'turn.say',
    about: 'Post to a channel in your turn. TURN_COMPLETE as the last word ends the turn',
    fields: { agent: AGENT, token: 'of the turn', tokens: 'tokens that it cost' },
  },
  { operation: 'step.list', list: true, about: 'The steps of a session: what is finished is paid for and kept' },
]
