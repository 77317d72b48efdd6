/*
 * What is asked for is made of more than the operation may look at when it decides: the past, texts, what a caller makes of
 * the state. It is made while nothing is written here.
 *
 *   lasts ──► submitted like all others
 *   else  ──► goes before everybody else of this process, and holds only at the sequence number it was made at: where another
 *             process was quicker it is made anew, and the log is told how often that was (L6)
 */
import type { Answer, RunOptions } from './answer.ts'
import type { Executor } from './execute.ts'
import { contended } from './losing.ts'

const MOST_MADE = 50
/** Making takes time, so others are let pass no longer than that: each loss counts as so many. */
const LOSSES = 4

interface Making {
  readonly make: () => Promise<{ readonly seq: number; readonly input: unknown }>
  readonly submit: (input: unknown, options: RunOptions, place?: 'first') => Promise<Answer>
  readonly lasts: boolean
}

export async function submitMade(executor: Executor, options: RunOptions, making: Making): Promise<Answer> {
  const { make, submit, lasts } = making
  if (lasts) return submit((await executor.quiet(make)).input, options)
  for (let attempt = 1; ; attempt++) {
    // In an object, so that the quiet does not last until the answer.
    const { submitted } = await executor.quiet(
      async () => {
        const { seq, input } = await make()
        return { submitted: submit(input, { ...options, ifSeq: options.ifSeq ?? seq }, 'first') }
      },
      (attempt - 1) * LOSSES,
    )
    const answer = await submitted
    if (answer.kind === 'accepted' || answer.code !== 'CONFLICT' || options.ifSeq !== undefined) return answer
    if (attempt === MOST_MADE) throw contended(executor.session, MOST_MADE)
  }
}
