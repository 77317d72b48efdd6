import { Chain, START } from './chain.ts'
import type { Answer } from './answer.ts'
import type { Commit } from './commit.ts'
import { EngineError } from './error.ts'
import type { Kernel } from './kernel.ts'
import { refuse } from './operation.ts'
import { replay } from './replay.ts'
import type { Request } from './stage.ts'

/** The answer that the commit at `seq` was given first (L7). */
export async function readAnswer(kernel: Kernel, session: string, seq: number, request: Request): Promise<Answer> {
  const commit = await commitAt(kernel, session, seq)
  const { operation, options } = request
  if (commit.op !== operation.name) {
    return refuse('KEY_REUSED', `key "${options.key ?? ''}" was used for ${commit.op} at commit ${seq}, not for ${operation.name}`, {
      hint: 'use another key',
    })
  }
  return { kind: 'accepted', seq, events: commit.events, value: operation.answer(commit.events), repeated: true }
}

async function commitAt(kernel: Kernel, session: string, seq: number): Promise<Commit> {
  const chain = new Chain(START, kernel.host.sha256)
  for await (const commits of replay(kernel.log, session, chain)) {
    const first = commits[0]?.seq ?? 0
    const commit = commits[seq - first]
    if (commit !== undefined) return commit
  }
  throw new EngineError('POINT_NOT_FOUND', `commit ${seq} is not in the log of session ${session}`)
}
