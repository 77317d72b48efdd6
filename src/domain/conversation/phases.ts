import { PHASES, type Phase } from './events.ts'

/** Where each phase may go; staying is a handoff. */
export const MOVES: Readonly<Record<Phase, readonly Phase[]>> = {
  chat: ['execute', 'plan', 'brainstorm'],
  brainstorm: ['chat', 'plan', 'execute'],
  plan: ['execute'],
  execute: ['verification', 'chat'],
  verification: ['chores', 'execute', 'chat'],
  chores: ['reflection'],
  reflection: ['chat'],
}

export const isPhase = (text: string | undefined): text is Phase => PHASES.some((phase) => phase === text)

export type MoveKind = 'transition' | 'handoff' | 'rollback'

/** What a move would be; undefined when the table does not have it. A rollback goes to a phase that was there before. */
export function moveKind(from: Phase, to: Phase, back: readonly Phase[] | undefined): MoveKind | undefined {
  if (back !== undefined) return to !== from && back.includes(to) ? 'rollback' : undefined
  if (from === to) return 'handoff'
  return MOVES[from].includes(to) ? 'transition' : undefined
}
