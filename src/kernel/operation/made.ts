/*
 * What is asked for is made of more than the operation may look at when it decides: the past, texts, what a caller makes of
 * the state. It is made while nothing is written here, and goes before everybody else of this process; it holds only at the
 * sequence number it was made at, and other processes may be quicker.
 */
import type { Answer, RunOptions } from './answer.ts'
import type { Executor } from './execute.ts'

const MOST_MADE = 20

interface Making {
  readonly make: () => Promise<{ readonly seq: number; readonly input: unknown }>
  /** As the first of the next group. */
  readonly submit: (input: unknown, options: RunOptions) => Promise<Answer>
}

export async function submitMade(executor: Executor, options: RunOptions, { make, submit }: Making): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    // In an object, so that the quiet does not last until the answer.
    const { submitted } = await executor.quiet(async () => {
      const { seq, input } = await make()
      return { submitted: submit(input, { ...options, ifSeq: options.ifSeq ?? seq }) }
    })
    const answer = await submitted
    const isStale = answer.kind === 'refused' && answer.code === 'CONFLICT' && options.ifSeq === undefined
    if (!isStale || attempt === MOST_MADE) return answer
  }
}
