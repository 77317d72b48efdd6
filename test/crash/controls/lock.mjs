// Two ways to hold a lock file that go wrong.
import fs from 'node:fs'
import path from 'node:path'

/** `strict` waits for the holder for ever; `pid` breaks a lock whose pid is its own or not running. */
export async function takeLock(folder, kind) {
  const file = path.join(folder, 'lock')
  for (;;) {
    if (make(file)) return
    if (kind === 'pid' && !alive(file)) fs.rmSync(file, { force: true })
    await new Promise((go) => setTimeout(go, 1))
  }
}

function make(file) {
  try {
    fs.writeFileSync(file, String(process.pid), { flag: 'wx' })
    return true
  } catch {
    return false
  }
}

function alive(file) {
  const pid = fs.existsSync(file) ? Number(fs.readFileSync(file, 'utf8')) : 0
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
