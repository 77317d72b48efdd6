import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openChat } from '../../../test/conformance/chat.ts'

const ME = 'agent:planner'
const NAMES = ['one', 'two', 'three', 'four'] as const

/** Which of the conversations that there are by then. */
const place = fc.nat(7)
const moves = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('post' as const), in: place }),
    fc.record({ kind: fc.constant('read' as const), in: place }),
    fc.record({ kind: fc.constant('fork' as const), in: place }),
    fc.record({ kind: fc.constant('merge' as const), in: place, into: place }),
  ),
  { minLength: 3, maxLength: 16, size: 'max' },
)

test('C4 whatever is merged or forked, and whenever it is read, each message is unread exactly once', async () => {
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
      const said: string[] = [...NAMES]
      const ids: string[] = [...NAMES]
      const named = (at: number) => ids[at % ids.length] ?? ''
      for (const id of NAMES) await run('open', { title: id, id, text: id })
      for (const [at, move] of all.entries()) {
        const conversation = named(move.in)
        if (move.kind === 'read') await read(conversation)
        else if (move.kind === 'post') {
          await run('post', { conversation, text: `${at}` })
          said.push(`${at}`)
        } else if (move.kind === 'fork') {
          await run('fork', { conversation, id: `fork-${at}`, title: `${at}` })
          ids.push(`fork-${at}`)
        }
        // Two that are one already are not merged again.
        else await session.run('chat.merge', { conversation, into: named(move.into) }, { actor: 'human:ana' })
      }
      for (const id of ids) await read(id)
      // What a fork begins with is said by nobody.
      const counts = [...told].filter(([text]) => !text.startsWith('Forked from'))
      expect(Object.fromEntries(counts)).toEqual(Object.fromEntries(said.map((text) => [text, 1])))
    }),
    { numRuns: 80 },
  )
})

test('C4 what was said behind the point of a fork is unread when both are merged, and once', async () => {
  const { run } = await openChat()
  const unread = async (conversation: string) =>
    ((await run('unread', { conversation, agent: ME })) as readonly { readonly content: string }[]).map(
      ({ content }) => content,
    )
  const read = async (conversation: string) => {
    const { cursor } = (await run('build', { conversation, agent: ME })) as { readonly cursor: object }
    await run('seen', { conversation, agent: ME, cursor })
  }
  await run('open', { title: 'one', id: 'one', text: 'first' })
  await run('fork', { conversation: 'one', id: 'other', title: 'other' })
  await run('post', { conversation: 'one', text: 'behind the fork' })
  await read('other')
  await run('merge', { conversation: 'one', into: 'other' })
  expect(await unread('other')).toEqual(['behind the fork'])
  await read('other')
  expect(await unread('other')).toEqual([])
})

test('C4 what was said behind the point of a fork is unread where a later fork shares it, too', async () => {
  const { run } = await openChat()
  const told = async (conversation: string) => {
    const rows = (await run('unread', { conversation, agent: ME })) as readonly { readonly content: string }[]
    await run('seen', { conversation, agent: ME })
    return rows.map(({ content }) => content).filter((content) => !content.startsWith('Forked from'))
  }
  await run('open', { title: 'one', id: 'one', text: 'first' })
  await run('fork', { conversation: 'one', id: 'early', title: 'early' })
  await run('post', { conversation: 'one', text: 'behind it' })
  await run('fork', { conversation: 'one', id: 'late', title: 'late' })
  expect(await told('early')).toEqual(['first'])
  await run('merge', { conversation: 'late', into: 'early' })
  expect(await told('early')).toEqual(['behind it'])
  expect(await told('one')).toEqual([])
})

test('C3 what is said in a merged conversation stands behind all that both had, and names its ends once', async () => {
  const { run } = await openChat()
  const prevs = async (conversation: string) => {
    const events = (await run('export', { conversation })) as readonly { readonly tags: readonly string[][] }[]
    return events.map(({ tags }) => tags.filter(([name]) => name === 'prev').length)
  }
  for (let n = 0; n < 10; n++) {
    const [one, two] = [`one-${n}`, `two-${n}`]
    await run('open', { title: one, id: one, text: 'first' })
    await run('open', { title: two, id: two, text: 'other' })
    await run('merge', { conversation: two, into: one })
    for (const text of ['next', 'last']) await run('post', { conversation: one, text })
    const { shown } = (await run('show', { conversation: one })) as {
      readonly shown: readonly { readonly content: string }[]
    }
    expect(shown.map(({ content }) => content).slice(-2)).toEqual(['next', 'last'])
    expect((await prevs(one)).slice(-2)).toEqual([2, 1])
  }
})
