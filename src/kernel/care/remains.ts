/* Sessions whose folder is there and whose log is not. */
import { EngineError } from '../error.ts'
import type { Kernel } from '../kernel.ts'
import { bringBack, LOG_GONE } from '../log/replay.ts'

export async function remains({ log }: Pick<Kernel, 'log'>): Promise<readonly string[]> {
  const gone: string[] = []
  for await (const id of (await log.attic?.())?.remains() ?? []) gone.push(id)
  return gone
}

/** The one that goes by that id, or by the claim that is left of its name. */
export async function remainsOf(kernel: Pick<Kernel, 'log'>, named: string): Promise<string | undefined> {
  const gone = await remains(kernel)
  if (gone.length === 0 || gone.includes(named)) return gone.find((id) => id === named)
  const held = await kernel.log.names?.holder(named)
  return gone.find((id) => id === held?.id)
}

export const lost = (id: string): EngineError =>
  new EngineError('LOG_CORRUPT', `session ${id} is damaged: ${LOG_GONE}`, {
    hint: bringBack(id),
    details: { session: id },
  })
