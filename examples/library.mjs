// The library in one page: write, be refused, look back, and find it all again.
//   node library.mjs [DIR]      run it twice: the second run finds what the first one did
import { openWorkspace } from 'steadfold'

const dir = process.argv[2] ?? process.cwd()
const workspace = await openWorkspace({ dir })
const session =
  (await existing('auth-design')) ?? (await workspace.createSession({ name: 'auth-design', goal: 'Choose a hash' }))

// A write is durable when it is answered. The same key again gives the first answer and adds nothing.
const first = await session.run(
  'state.set',
  { path: '$.data.topic', value: 'auth' },
  { key: 'topic', actor: 'agent:planner' },
)
say('topic', first)

// `ifSeq` makes a decision hold only for the state it was taken on: this one is stale by now.
await session.run('state.set', { path: '$.data.hash', value: 'bcrypt' }, { key: 'hash-1' })
say('stale', await session.run('state.set', { path: '$.data.hash', value: 'md5' }, { ifSeq: session.seq - 1 }))
const second = await session.run('state.set', { path: '$.data.hash', value: 'argon2' }, { key: 'hash-2' })
say('hash', second)

console.log('now        ', await session.get('$.data.hash'))
console.log('before that', await session.get('$.data.hash', { at: second.seq - 1 }))
console.log('everywhere ', await session.query('$..hash'))

for await (const commit of session.commits({ after: 0, live: false })) {
  console.log(`commit ${commit.seq}`.padEnd(11), commit.actor, commit.events.map((event) => event.type).join(' '))
}

await session.close()
await workspace.close()

/** A refusal is a value with a code, not an exception: it says why and what to do. */
function say(name, answer) {
  const told =
    answer.kind === 'accepted' ? `accepted as commit ${answer.seq}` : `refused: ${answer.code}, ${answer.message}`
  console.log(name.padEnd(11), told)
}

async function existing(name) {
  try {
    return await workspace.session(name)
  } catch (error) {
    if (error.code === 'SESSION_NOT_FOUND') return undefined
    throw error
  }
}
