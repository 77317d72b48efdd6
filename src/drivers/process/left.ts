/*
 * Processes of an attempt, as /proc has them: its command may have put them into groups that its wrapper does not reach, as
 * `timeout` does, and a shell with job control.
 */
import * as fs from 'node:fs'
import { groupsIn, isIn, withEnvironment } from './identity.ts'
import { assertSeen } from './plain.ts'
import type { Work } from './work.ts'

/** What is ended may have begun more meanwhile. */
const SWEEPS = 10

export function list(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder)
  } catch (error) {
    assertSeen(error, folder)
    return []
  }
}

const processes = (): readonly number[] =>
  list('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)

/** To every group of the session that the wrapper leads. */
export function signalAll(wrapper: number, name: NodeJS.Signals): void {
  send(-wrapper, name)
  try {
    for (const group of groupsIn(wrapper, processes())) if (group !== wrapper) send(-group, name)
  } catch {
    // What cannot be looked at now ends with the wrapper.
  }
}

/** Ends whatever still writes for this attempt, until nothing begins any more. `inSession`: only where its wrapper was. */
export function sweep(work: Work, wrapper: number | undefined, { inSession = false } = {}): void {
  for (let i = 0; i < SWEEPS && sweepOnce(work, wrapper, inSession); i++);
}

function sweepOnce(work: Work, wrapper: number | undefined, inSession: boolean): boolean {
  const all = processes().filter(
    (pid) => !inSession || (pid !== wrapper && wrapper !== undefined && isIn(wrapper, pid)),
  )
  const found = withEnvironment(all, `STEADFOLD_OUTPUT=${work.file('outputs')}`, wrapper)
  for (const pid of found) send(pid, 'SIGKILL')
  return found.length > 0
}

function send(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended by itself.
  }
}
