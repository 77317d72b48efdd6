/* Words and examples for the commands of conversations. */
import { staysHere } from '../answer/stays-here.ts'
import type { Refinement } from './refinement.ts'

const SIGNED = 'as an event for relays, with the key in the file that STEADFOLD_NOSTR_KEY names'
const CONVERSATION = 'its id, the only beginning of one, or its title'
const AGENT = 'which agent; the one that asks when left out'
const shared = { conversation: CONVERSATION, signed: SIGNED }
const says = (words: Readonly<Record<string, string>>, ...examples: readonly string[]): Refinement => ({
  words: { ...shared, ...words },
  hidden: ['event'],
  examples,
  note: staysHere,
})

export const CHAT_REFINEMENTS: Readonly<Record<string, Refinement>> = {
  'chat.open': says(
    {
      title: 'what it is about',
      id: 'a name for it; the id of its first event when left out',
      text: 'what is said first',
      template: 'begin it as this one says: chat templates lists them',
    },
    'chat open "Log in with a key" --id login',
    'chat open --template bug',
    'chat open "Log in with a key" --signed',
  ),
  'chat.post': says(
    {
      text: 'what is said',
      reply: 'id of the message it answers',
      mentions: 'who is meant',
      tool: 'the tool that is called',
      call: 'a name for the call, which its result repeats',
      result: 'the call that this is the result of',
      voice: 'it was spoken',
    },
    'chat post login "which hash?" --as agent:planner',
    'chat post login "argon2" --reply 3f… --signed',
  ),
  'chat.fork': says(
    { at: 'id of the last message they share; the last one when left out', id: 'a name for the new one' },
    'chat fork login 3f… --id login-again',
  ),
  'chat.phase': says(
    {
      to: 'chat, brainstorm, plan, execute, verification, chores or reflection; the same one is a handoff',
      text: 'what the next should know',
      why: 'the reason',
      rollback: 'back to a phase that was there before',
    },
    'chat phase login plan --why "we know what it is"',
    'chat phase login chat --rollback --why "wrong way"',
  ),
  'chat.route': says(
    {
      agents: 'whose turn it is',
      why: 'the reason',
      phase: 'of the turn; that of the conversation when left out',
      timeout_s: 'when it is over, in seconds',
      partial: 'what it comes to when only some are done by then: wait, accept or fail',
    },
    'chat route login coder qa --why "write and test it"',
    'chat route login coder qa --timeout-s 600 --partial accept',
  ),
  'chat.complete': says(
    { text: 'what came of it', agent: 'for which agent; the one that asks when left out' },
    'chat complete login "all tests pass" --as agent:coder',
  ),
  'chat.title': says({ title: 'the title' }, 'chat title login "Log in with a key"'),
  'chat.member': says(
    {
      author: 'a public key, or an actor such as agent:coder',
      role: 'user: a person; agent',
      name: 'what to call them',
    },
    'chat member login agent:coder agent coder',
  ),
  'chat.archive': says({ undo: 'take it out again' }, 'chat archive login', 'chat archive login --undo'),
  'chat.merge': says({ into: 'the one that stays' }, 'chat merge sign-in login'),
  'chat.build': { internal: true },
  'chat.exchange': { internal: true },
  'chat.synced': { internal: true, hidden: ['published'] },
  'chat.seen': { internal: true, words: { conversation: CONVERSATION, agent: AGENT } },
  'chat.remember': {
    words: {
      conversation: CONVERSATION,
      key: 'such as claude_session_id',
      value: 'forgotten when left out',
      agent: AGENT,
    },
    examples: ['chat remember login claude_session_id 7b0e --agent coder'],
  },
  'chat.file': {
    words: { conversation: CONVERSATION, path: 'the file', agent: AGENT },
    examples: ['chat file login src/auth.ts --agent coder'],
  },
  'chat.execution': {
    words: { conversation: CONVERSATION, action: 'start, note (it still runs) or stop', agent: AGENT },
    examples: ['chat execution login start --agent coder'],
  },
  'chat.configure': {
    words: {
      kinds: 'which kinds of events count',
      root_kind: 'kind of the event that begins a conversation',
      post_kind: 'kind of the events that go on with it',
      metadata_kind: 'kind of the events that give it a title',
      advisory: 'carry out moves that the table of phases does not have, and record them',
    },
    switches: ['advisory'],
    examples: ['chat configure --advisory', 'chat configure --kinds 1 --kinds 513 --root-kind 1 --post-kind 1'],
  },
  'chat.template': {
    words: {
      text: 'what is said first',
      phase: 'in which it begins',
      users: 'a person who takes part',
      agents: 'an agent that takes part',
      remove: 'forget it',
    },
    examples: ['chat template bug "A bug" --phase plan --text "What happens?" --agents agent:qa'],
  },
  'chat.list': {
    words: { agent: 'in which it has spoken', all: 'also those put away or merged' },
    examples: ['chat list'],
  },
  'chat.unread': { words: shared, examples: ['chat unread login planner'] },
  'chat.turns': { words: shared, examples: ['chat turns login'] },
  'chat.narrative': { words: shared, examples: ['chat narrative login'] },
  'chat.hash': { words: shared, examples: ['chat hash login'] },
}
