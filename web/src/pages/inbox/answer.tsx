/** A field for the answer to a question, under it. What it answers is settled by that. */
import type { Need } from '../../../../src/kernel/care/inbox.ts'
import { operate } from '../../api/session.ts'
import { beginningOf } from '../../parts/long-text.tsx'
import { Of } from '../../parts/of.tsx'
import { Say } from '../../parts/say.tsx'
import { clock } from '../../parts/time.ts'
import { wordsOf } from './words.ts'

/** Of the question, where it says which one is answered. */
const NAME = 40

export function Answer({ need: { session, name, what, why, since, next } }: { readonly need: Need }) {
  const { command, rest, flags } = wordsOf(next)
  const [id] = rest
  if (command !== 'message answer' || id === undefined) return null
  const of = <Of what={`${what}, ${name}: ${beginningOf(why, NAME)}, ${clock(since)}`} />
  const say = (payload: string, $key: string) =>
    operate(session, 'message.answer', { id, payload, agent: flags['agent'], $key })
  return (
    <Say
      label={<span class="unseen">Your answer to{of}</span>}
      button={<>Answer{of}</>}
      placeholder={`Your answer to ${what}`}
      say={say}
    />
  )
}
