import { makeWorkspace, memoryKernel } from '../../src/compose.ts'
import type { Kernel } from '../../src/kernel/kernel.ts'
import { fixedHost } from '../conformance/kit.ts'

/** A session in memory, under a clock that the test moves. */
export async function begin() {
  const host = fixedHost()
  const kernel: Kernel = { ...memoryKernel({ checkpoints: false }), host }
  return { host, kernel, session: await makeWorkspace(kernel).createSession({ name: 'test' }) }
}
