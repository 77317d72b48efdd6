/** Exchanges conversations with relays, once or for as long as it runs. */
import { membersOf } from '../../../kernel/json/members.ts'
import type { Session } from '../../../kernel/session.ts'
import type { App } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { isOn, listOf, usage } from '../context/input.ts'
import type { ChatExchanged, RelayFailed } from '../context/relays.ts'
import { EXIT_PARTIAL, type Result } from '../context/result.ts'
import { quoted } from '../context/scope.ts'
import { count, plain } from '../show/text.ts'
import type { Command } from '../syntax/command.ts'

const URL_OF_RELAY = /^wss?:\/\/[^\s#]{1,180}$/
/** Names of what only its owner should know: in an address also those that in a text are mostly something else. */
const SECRET = /token|secret|pass|pwd|auth|api_?key|^key$|^sig/i

export const chatSync: Command<App> = {
  name: 'chat sync',
  summary: 'exchange conversations with Nostr relays',
  examples: [
    'chat sync --relay ws://localhost:7777',
    'chat sync --relay wss://one.example --relay wss://two.example --live',
    'chat sync --relay ws://localhost:7777 --join 3f…',
  ],
  notes:
    'Publishes what was signed here and takes in what is new in the conversations of this session. Run again, it goes on where it was. Exit 8: no relay was there; 10: some were not, or took only some.',
  parameters: [],
  flags: [
    { name: 'relay', field: 'relay', type: 'text', value: 'URL', repeat: true, summary: 'ws://… or wss://… (needed)' },
    {
      name: 'join',
      field: 'join',
      type: 'text',
      value: 'ID',
      repeat: true,
      summary: 'a conversation that is not here yet',
    },
    { name: 'live', field: 'live', type: 'boolean', summary: 'until Ctrl-C; a relay that goes is tried again' },
    {
      name: 'full',
      field: 'full',
      type: 'boolean',
      summary: 'look at everything the relays have, not only at what is new; offer what they refused again',
    },
  ],
  shares: ['session'],
  streams: true,
  run: async (context, input) => {
    const urls = listOf(input, 'relay')
    if (urls.length === 0) throw usage('which relay? chat sync takes --relay URL')
    urls.forEach(assertRelay)
    const session = await context.session('write')
    const before = quarantineOf(session)
    const outcomes = await context.app.nostr.sync({
      session,
      urls,
      join: listOf(input, 'join'),
      full: isOn(input, 'full'),
      live: isOn(input, 'live'),
      signal: context.signal,
      tell: (what) => tell(context, what, isOn(input, 'live')),
    })
    if (outcomes.some((each) => !('failure' in each))) noteAbsent(context, session, listOf(input, 'join'))
    noteQuarantined(context, session, before)
    return resultOf(context, outcomes, session.seq)
  },
}

/** A secret would stand in the log, where what was published is noted; relays ask for a key. */
function assertRelay(text: string): void {
  if (!URL_OF_RELAY.test(text) || !URL.canParse(text))
    throw usage(`--relay takes ws://… or wss://…, not "${plain(text)}"`)
  const { username, password, searchParams } = new URL(text)
  const secret = [...searchParams.keys()].find((name) => SECRET.test(name))
  if (secret !== undefined)
    throw usage(`--relay takes no ${plain(secret)} in the address, which stands in the log: relays ask for a key`)
  if (username + password !== '')
    throw usage('--relay takes no password: relays ask for a key, which STEADFOLD_NOSTR_KEY names')
}

const quarantineOf = (session: Session) => new Set(Object.keys(membersOf(session.get('$.conversation.quarantine'))))

/** What anybody sends to a relay fails no exchange. */
function noteQuarantined(context: Context<App>, session: Session, before: ReadonlySet<string>): void {
  const added = [...quarantineOf(session)].filter((key) => !before.has(key)).length
  if (added > 0) context.note(`${count(added, 'event')} quarantined: steadfold chat quarantine says why`)
}

/** A relay that has nothing of a conversation does not say so; it is asked for by its whole id. */
function noteAbsent(context: Context<App>, session: Session, join: readonly string[]): void {
  const here = membersOf(session.get('$.conversation.threads'))
  for (const id of join)
    if (!Object.hasOwn(here, id))
      context.note(
        `nothing of conversation ${quoted(id)} was found: --join takes its whole id, as chat list --json shows it`,
      )
}

/** Of what is over at once people are told by the result. */
function tell(context: Context<App>, what: ChatExchanged | RelayFailed, live: boolean): void {
  if ('failure' in what) {
    const { code, message } = what.failure
    context.event({ type: 'failure', relay: what.relay, code, message })
  } else {
    context.event({ type: 'exchange', ...what })
  }
  if (live) context.note(lineOf(what))
}

function lineOf(what: ChatExchanged | RelayFailed): string {
  if ('failure' in what) return plain(failed(what))
  const { relay, received, published, refused, waiting, why } = what
  const left = [
    refused === 0 ? '' : `, ${refused} refused`,
    waiting === 0 ? '' : `, ${waiting} to be tried again`,
  ].join('')
  const reason = left === '' ? '' : (why ?? '') === '' ? '; no reason was given' : `: ${why}`
  return plain(`${relay}  ${received} received, ${published} published${left}${reason}`)
}

const failed = ({ relay, failure: { message } }: RelayFailed): string =>
  message.includes(relay) ? message : `${relay}  ${message}`

function resultOf(context: Context<App>, outcomes: readonly (ChatExchanged | RelayFailed)[], seq: number): Result {
  const failures = outcomes.flatMap((each) => ('failure' in each ? [each] : []))
  const [first, ...others] = failures
  if (first !== undefined && failures.length === outcomes.length) {
    for (const each of others) context.note(lineOf(each))
    throw first.failure
  }
  const relays = outcomes.map((each) =>
    'failure' in each ? { relay: each.relay, error: each.failure.code, message: each.failure.message } : each,
  )
  const hints = new Set(failures.flatMap(({ failure: { hint } }) => hint ?? []))
  const next = [...hints].map((hint) => context.paint.dim(`next: ${plain(hint)}`))
  const text = [...outcomes.map(lineOf), ...next].join('\n')
  const isPartial = outcomes.some((each) => 'failure' in each || each.refused + each.waiting > 0)
  return { data: { relays, seq }, text, ...(isPartial ? { exit: EXIT_PARTIAL } : {}) }
}
