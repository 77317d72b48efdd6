/* The report that a step declares: an artifact of it, kept whole, and what is handed on of it. */
import type { Report } from '../domain/supervision/events.ts'
import { describeReport } from '../domain/supervision/extract.ts'
import type { StepDefinition } from '../domain/workflow/definition.ts'
import { keepBlob } from '../kernel/operation/texts.ts'
import type { Ground } from './ground.ts'
import type { Work } from './work.ts'

const MOST_BYTES = 8_000_000

export const artifactsOf = ({ artifacts, report }: Pick<StepDefinition, 'artifacts' | 'report'>): readonly string[] =>
  report === undefined || artifacts.includes(report) ? artifacts : [...artifacts, report]

/** Undefined when the step declares none. What is too long to be kept is not read. */
export async function reportOf({ deps, session }: Ground, { name, report: path }: Work): Promise<Report | undefined> {
  if (path === undefined) return undefined
  const bytes = await deps.files.read(path, MOST_BYTES)
  const text = bytes === undefined ? undefined : new TextDecoder().decode(bytes)
  const kept = bytes === undefined ? null : await keepBlob(deps.workspace.kernel, session.id, bytes)
  return { path, kept, ...describeReport(text, {}, name) }
}
