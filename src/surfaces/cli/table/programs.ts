/*
 * Which of the programs that start fast a line is for, by its first word; none where only the full one knows it. Each hands
 * over to the full one what it does not know.
 */
const HOT = /^(?:log|output|shell|state|step|workflow)$/
const HOOKS = /^(?:hook|prime|statusline)$/
/** What agents share. */
const TEAM =
  /^(?:activity|agent|budget|channel|consent|dependency|epic|handoff|lock|message|pool|project|runner|session|sprint|supervise|task|team|turn)$/

export const programFor = (noun: string): 'hook' | 'team' | 'hot' | undefined =>
  HOT.test(noun) ? 'hot' : HOOKS.test(noun) ? 'hook' : TEAM.test(noun) ? 'team' : undefined
