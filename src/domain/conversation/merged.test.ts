import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openChat } from '../../../test/conformance/chat.ts'

const ME = 'agent:planner'
const NAMES = ['one', 'two', 'three', 'four'] as const

const name = fc.constantFrom(...NAMES)
const moves = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('post' as const), in: name }),
    fc.record({ kind: fc.constant('read' as const), in: name }),
    fc.record({ kind: fc.constant('merge' as const), in: name, into: name }),
  ),
  { minLength: 3, maxLength: 16, size: 'max' },
)

test('C4 whatever is merged, and whenever it is read, each message is unread exactly once', async () => {
  await fc.assert(
    fc.asyncProperty(moves, async (all) => {
      const { session, run } = await openChat()
      const told = new Map<string, number>()
      const read = async (conversation: string) => {
        const rows = (await run('unread', { conversation, agent: ME })) as readonly { readonly content: string }[]
        for (const { content } of rows) told.set(content, (told.get(content) ?? 0) + 1)
        const { cursor } = (await run('build', { conversation, agent: ME })) as { readonly cursor: object }
        await run('seen', { conversation, agent: ME, cursor })
      }
      for (const id of NAMES) await run('open', { title: id, id, text: id })
      for (const [at, move] of all.entries()) {
        if (move.kind === 'post') await run('post', { conversation: move.in, text: `${at}` })
        else if (move.kind === 'read') await read(move.in)
        // Two that are one already are not merged again.
        else await session.run('chat.merge', { conversation: move.in, into: move.into }, { actor: 'human:ana' })
      }
      for (const id of NAMES) await read(id)
      const said = [...NAMES, ...all.flatMap(({ kind }, at) => (kind === 'post' ? `${at}` : []))]
      expect(Object.fromEntries(told)).toEqual(Object.fromEntries(said.map((text) => [text, 1])))
    }),
    { numRuns: 60 },
  )
})
