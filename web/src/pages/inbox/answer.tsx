/** A field for the answer to a question, under it. What it answers is settled by that. */
import { useState } from 'preact/hooks'
import type { Need } from '../../../../src/kernel/care/inbox.ts'
import { operate } from '../../api/session.ts'
import { beginningOf } from '../../parts/long-text.tsx'
import { Of } from '../../parts/of.tsx'
import { Say } from '../../parts/say.tsx'
import { clock } from '../../parts/time.ts'
import { wordsOf } from './words.ts'

/** Of the question, where it says which one is answered. */
const NAME = 40
const GONE = 'Nobody asks it any more: it was answered, or taken back. What you wrote stays here until you clear it.'

interface AnswerProps {
  readonly need: Need
  readonly isAsked: boolean
  readonly onDraft: (isWritten: boolean) => void
}

export function Answer({ need: { session, name, what, why, since, next }, isAsked, onDraft }: AnswerProps) {
  const [isSaying, saying] = useState(false)
  const { command, rest, flags } = wordsOf(next)
  const [id] = rest
  if (command !== 'message answer' || id === undefined) return null
  const of = <Of what={`${what}, ${name}: ${beginningOf(why, NAME)}, ${clock(since)}`} />
  const say = async (payload: string, $key: string) => {
    saying(true)
    await operate(session, 'message.answer', { id, payload, agent: flags['agent'], $key }).finally(() => saying(false))
  }
  return (
    <>
      {isAsked || isSaying ? null : <p role="status">{GONE}</p>}
      <Say
        label={<span class="unseen">Your answer to{of}</span>}
        button={<>Answer{of}</>}
        placeholder={`Your answer to ${what}`}
        say={say}
        onDraft={onDraft}
      />
    </>
  )
}
