/* Words and examples for the commands of channels and turns. */
import type { Refinement } from './refinement.ts'

const AGENT = 'which agent; the one that asks when left out'

const SETTINGS: Readonly<Record<string, string>> = {
  name: 'for people',
  mode: 'direct and single are for one agent; in direct and broadcast nobody waits for a turn',
  order: 'who follows: round-robin, priority (when joining), or manual (nobody by itself)',
  human: 'what a person says in a turn: inject, queue, interrupt or parallel',
  signal: 'the word that ends a turn; TURN_COMPLETE when left out',
  timeout_ms: 'time of a turn; 60s when left out',
  timeouts: 'by role, as JSON: {"qa":45000}; pm has 90000 and dev 120000 by themselves',
  interrupt_ms: 'an interrupted turn goes on by itself after that',
  max_turns: 'turns without a person before the channel stops; 0 for no limit',
  max_repeats: 'how often an agent may say the same; 0 for no limit',
  max_tokens: 'tokens before the channel stops; 0 for no limit',
  max_cost_usd: 'cost before the channel stops; 0 for no limit',
  roles: 'who may take part, by role in the channel or in a team; "" for everybody',
}

export const TURN_REFINEMENTS: Readonly<Record<string, Refinement>> = {
  'channel.create': {
    words: { channel: 'what to call it', ...SETTINGS },
    examples: ['channel create room', 'channel create reviews --human queue --max-turns 20 --max-cost-usd 2.5'],
  },
  'channel.set': {
    words: { channel: 'the channel', ...SETTINGS },
    examples: ['channel set room --timeout-ms 90000', 'channel set room --mode single'],
  },
  'channel.remove': { words: { channel: 'the channel' }, examples: ['channel remove room'] },
  'channel.list': {
    words: { stopped: 'only those that wait for a person, with the reason' },
    examples: ['channel list', 'channel list --stopped --json'],
  },
  'turn.join': {
    words: {
      channel: 'the channel',
      agent: AGENT,
      position: 'start, end, or a place from 1; the end when left out',
      role: 'such as pm, dev or qa: decides the time of its turns',
      priority: '1 comes first, 10 last; 5 when left out',
      timeout_ms: 'time of its turns',
      can_interrupt: 'it may take the turn from another',
      triggers: 'words of others at which it takes the turn, if it may; "" for none',
    },
    switches: ['can_interrupt'],
    examples: [
      'turn join room --as agent:pm',
      'turn join room dev --role dev --position start',
      'turn join room security --can-interrupt --triggers vulnerability --triggers CVE',
    ],
  },
  'turn.leave': {
    words: { channel: 'the channel', agent: AGENT, keep: 'only go offline: the place stays' },
    examples: ['turn leave room --as agent:pm', 'turn leave room dev --keep'],
  },
  'turn.start': {
    words: { channel: 'the channel', agent: 'which agent; the next in the queue when left out' },
    examples: ['turn start room', 'turn start room dev'],
  },
  'turn.take': {
    words: { channel: 'the channel', agent: AGENT },
    examples: ['turn take room --as agent:security', 'turn take room dev'],
  },
  'turn.end': {
    words: {
      channel: 'the channel',
      agent: AGENT,
      token: 'of the turn; exit 6 when that turn is over',
      tokens: 'what it took, for the budget',
      cost_usd: 'what it cost, for the budget',
    },
    examples: ['turn end room --as agent:pm --token 42'],
  },
  'turn.skip': {
    words: { channel: 'the channel', agent: 'only if this one has the turn' },
    examples: ['turn skip room', 'turn skip room dev'],
  },
  'turn.pause': {
    words: { channel: 'the channel', note: 'why' },
    examples: ['turn pause room --note "lunch"'],
  },
  'turn.resume': { words: { channel: 'the channel' }, examples: ['turn resume room'] },
  'turn.poll': {
    internal: true,
    words: { agent: AGENT, channel: 'only in this one' },
    examples: ['turn poll dev'],
  },
}
