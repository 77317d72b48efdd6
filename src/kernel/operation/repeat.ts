import { refuse, type Refusal } from '../decision.ts'
import { EngineError } from '../error.ts'
import type { Kernel } from '../kernel.ts'
import { Chain, START } from '../log/chain.ts'
import type { Commit } from '../log/commit.ts'
import { logReplaced } from '../log/replaced.ts'
import { corrupt, replay } from '../log/replay.ts'
import type { Accepted, Answer } from './answer.ts'
import type { Request } from './request.ts'

/** The first answers again (L7), of the commits at which the requests were accepted. One reading of the log serves all. */
export async function readAnswers<R extends Request>(
  kernel: Kernel,
  session: string,
  seqs: ReadonlyMap<R, number>,
): Promise<ReadonlyMap<R, Answer>> {
  const commits = await commitsAt(kernel, session, new Set(seqs.values()))
  return new Map([...seqs].map(([request, seq]) => [request, answerOf(session, seq, commits.get(seq), request)]))
}

/** L7: the answer that a key was given first, to whoever asks for the same operation. */
export function repeated(first: Accepted, op: string, { operation, options }: Request): Answer {
  if (op === operation.name) return { ...first, repeated: true }
  return keyReused(options.key ?? '', operation.name, { op, seq: first.seq })
}

export const keyReused = (key: string, asked: string, { op, seq }: Pick<Commit, 'op' | 'seq'>): Refusal =>
  refuse(
    'KEY_REUSED',
    `key "${key}" was used for ${op} at commit ${seq}, not for ${asked === op ? 'this one' : asked}`,
    {
      hint: 'use another key',
    },
  )

function answerOf(session: string, seq: number, commit: Commit | undefined, request: Request): Answer {
  if (commit === undefined)
    throw new EngineError('POINT_NOT_FOUND', `commit ${seq} is not in the log of session ${session}`)
  const { op, id, key, own = [0] } = commit
  // Another log has taken the place of the one in which it was found.
  if (id !== request.id && (key === undefined || key !== request.options.key)) throw logReplaced(session)
  const events = commit.events.slice(...own)
  return repeated({ kind: 'accepted', seq, events, value: request.operation.answer(events) }, op, request)
}

async function commitsAt(
  kernel: Kernel,
  session: string,
  wanted: ReadonlySet<number>,
): Promise<ReadonlyMap<number, Commit>> {
  const chain = new Chain(START, kernel.host.sha256)
  const found = new Map<number, Commit>()
  for await (const commits of replay(kernel.log, session, chain)) {
    for (const commit of commits) if (wanted.has(commit.seq)) found.set(commit.seq, commit)
    if (found.size === wanted.size) return found
  }
  if (chain.damage !== undefined) throw corrupt(session, chain.damage)
  return found
}
