import * as fs from 'node:fs'

/** Some file systems tell nobody of changes. */
const POLL_MS = 1000

/** Calls back soon after anything in `folder` changed, and every second besides. */
export function watchFolder(folder: string, changed: () => void): () => void {
  let watcher = tryWatch(folder, changed)
  const poll = setInterval(() => {
    // It may not have been there yet.
    watcher ??= tryWatch(folder, changed)
    changed()
  }, POLL_MS)
  return () => {
    clearInterval(poll)
    watcher?.close()
  }
}

function tryWatch(folder: string, changed: () => void): fs.FSWatcher | undefined {
  try {
    const watcher = fs.watch(folder, changed)
    watcher.on('error', () => watcher.close())
    return watcher
  } catch {
    // No watches left: the poll remains.
    return undefined
  }
}
