/*
 * What a step's work depends on, as one number: the same key is the same work.
 *
 * N1. Everything that decides the result is in it: name, command, declared inputs by content, declared environment, outputs it
 *     reads, artifacts of the steps it needs.
 * N2. What only decides when and how often it runs is not: timeout, retries, stage, cost hint, repeatable.
 */
import { canonicalJson } from '../../kernel/json/json.ts'
import type { Command } from './events.ts'

export interface Facts {
  readonly name: string
  readonly command: Command
  /** Declared patterns, and what they stand for: path -> sha-256, null where there is no such file. */
  readonly patterns: readonly string[]
  readonly inputs: Readonly<Record<string, string | null>>
  readonly env: Readonly<Record<string, string>>
  /** Name in the environment -> output's name and value; null where there is none. */
  readonly reads: Readonly<Record<string, readonly [output: string, value: string | null]>>
  /** Step it needs -> path -> sha-256 of what that step made. */
  readonly needs: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly artifacts: readonly string[]
}

const VERSION = 1

/** Hex. `sha256` is handed in. */
export function stepKey(facts: Facts, sha256: (text: string) => string): string {
  return sha256(canonicalJson({ v: VERSION, step: facts }))
}

/** Of `once`: the caller's own key is all there is to it. */
export function onceKey(key: string, sha256: (text: string) => string): string {
  return sha256(canonicalJson({ v: VERSION, once: key }))
}

/** Of a gate: each time a state is to be entered it is a new question. `visit`: no other has the same numbers. */
export function gateKey(
  workflow: string,
  state: string,
  visit: readonly number[],
  sha256: (text: string) => string,
): string {
  return sha256(canonicalJson({ v: VERSION, gate: [workflow, state, ...visit] }))
}
