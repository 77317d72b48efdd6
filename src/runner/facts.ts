import type { Artifact } from '../domain/steps/events.ts'
import { stepKey, type Facts } from '../domain/steps/key.ts'
import type { StepDefinition } from '../domain/workflow/definition.ts'
import { EngineError } from '../kernel/error.ts'
import { hasPlaceholder, isPlaceholder } from '../kernel/redact/placeholder.ts'
import { outputOf, stepNamed, type Ground } from './ground.ts'
import { artifactsOf } from './report.ts'

export interface Gathered {
  readonly key: string
  /** Environment that the definition gives: literals, and outputs it reads. */
  readonly env: Readonly<Record<string, string>>
  /** Why it cannot have what it reads. */
  readonly lacks: string | undefined
}

/** Why it cannot be told what the step depends on. */
export interface Unreadable {
  readonly unreadable: string
  readonly key?: never
}

type Hashes = Ground['deps']['files']['hashes']

const hashesNow =
  ({ deps }: Ground): Hashes =>
  (patterns) =>
    deps.files.hashes(patterns)

/** For many steps at one moment: what several name is looked at once. */
export function hashesOnce(ground: Ground): Hashes {
  const seen = new Map<string, ReturnType<Hashes>>()
  const look = hashesNow(ground)
  return (patterns) => {
    const list = JSON.stringify(patterns)
    const found = seen.get(list) ?? look(patterns)
    seen.set(list, found)
    return found
  }
}

/** Reads everything a step's result depends on, as it is now. */
export async function gather(
  ground: Ground,
  name: string,
  step: StepDefinition,
  hashes = hashesNow(ground),
): Promise<Gathered | Unreadable> {
  try {
    return await read(ground, name, step, hashes)
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'FILE_UNREADABLE') throw error
    return { unreadable: `of its inputs, ${error.message}` }
  }
}

/** As the log has it: what looked like a secret is not in it, and nothing is to be run in its place. */
export const lacksSecret = ({ run, env }: StepDefinition): boolean => hasPlaceholder(JSON.stringify([run, env]))

async function read({ deps, session }: Ground, name: string, step: StepDefinition, hashes: Hashes): Promise<Gathered> {
  const reads = Object.entries(step.reads).map(
    ([variable, output]) => [variable, [output, outputOf(session, output) ?? null]] as const,
  )
  const needs = step.needs.map((need) => [need, hashesOf(stepNamed(session, need)?.result?.artifacts ?? [])] as const)
  const facts: Facts = {
    name,
    command: step.run,
    patterns: step.inputs,
    inputs: await hashes(step.inputs),
    env: step.env,
    reads: Object.fromEntries(reads),
    needs: Object.fromEntries(needs),
    artifacts: artifactsOf(step),
  }
  const given = reads.flatMap(([variable, [, value]]) => (value === null ? [] : [[variable, value] as const]))
  return {
    key: stepKey(facts, deps.workspace.kernel.host.sha256),
    env: { ...step.env, ...Object.fromEntries(given) },
    lacks: lackOf(reads.map(([, read]) => read)),
  }
}

function lackOf(reads: readonly (readonly [output: string, value: string | null])[]): string | undefined {
  const unset = reads.flatMap(([output, value]) => (value === null ? [output] : []))
  if (unset.length > 0) return `reads ${unset.join(', ')}, which nobody has set`
  const secret = reads.flatMap(([output, value]) => (isPlaceholder(value ?? '') ? [output] : []))
  return secret.length > 0
    ? `reads ${secret.join(', ')}, a secret, which is not in the log: hand it on in a file`
    : undefined
}

const hashesOf = (artifacts: readonly Artifact[]): Record<string, string> =>
  Object.fromEntries(artifacts.map(({ path, sha256 }) => [path, sha256]))
