import { makeWorkspace, memoryKernel } from '../../src/compose.ts'
import { detect } from '../../src/domain/imports/registry.ts'
import { carryOut } from '../../src/kernel/exchange/carry-out.ts'
import type { Detected, Source } from '../../src/kernel/exchange/importer.ts'

/** What would become of them. */
export function planOf(...sources: readonly Source[]): Detected {
  const [plan] = detect(sources).plans
  if (plan === undefined) throw new Error('nobody knows it')
  return plan
}

export const workspace = () => makeWorkspace(memoryKernel())

export const optionsOf = (plan: Detected) => ({
  name: plan.group,
  bytes: plan.sources.map(({ text }) => Buffer.from(text)),
})

/** Takes it over, into a workspace of its own where none is given. */
export const imported = async (plan: Detected, into = workspace()) => ({
  into,
  ...(await carryOut(into, plan, optionsOf(plan))),
})
