import { spawn, spawnSync } from 'node:child_process'

/** Deaf to what ends a group of processes, and allowed to set a terminal that is in use by others. */
const WAIT = `trap '' HUP INT QUIT TERM TTOU TTIN
read -r _
stty "$1" </dev/tty
printf '%b' "$2" >/dev/tty`

/**
 * Puts the terminal back when this process was killed and cannot: a small shell that waits for its end. Called before
 * anything is changed; the answer ends it. `leave` is what is printed then. Nothing where there is no `stty`.
 */
export function guardTerminal(leave: string): () => void {
  const { status, stdout } = spawnSync('stty', ['-g'], { stdio: ['inherit', 'pipe', 'ignore'], encoding: 'utf8' })
  if (status !== 0) return () => undefined
  const said = leave.replaceAll('\x1b', String.raw`\033`)
  const child = spawn('sh', ['-c', WAIT, 'sh', stdout.trim(), said], { stdio: ['pipe', 'ignore', 'ignore'] })
  child.on('error', () => undefined)
  child.unref()
  return () => void child.kill('SIGKILL')
}
