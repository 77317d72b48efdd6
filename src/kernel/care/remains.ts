/* Sessions whose folder is there and whose log is not. */
import type { Kernel } from '../kernel.ts'

export const LOG_GONE = 'its log is gone'

export async function remains({ log }: Pick<Kernel, 'log'>): Promise<readonly string[]> {
  const gone: string[] = []
  for await (const id of (await log.attic?.())?.remains() ?? []) gone.push(id)
  return gone
}
