import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openWorkspace } from '../../src/compose.ts'
import { Spool, takeIn } from '../../src/drivers/files/intake.ts'
import { shellLibraryPath } from '../../src/surfaces/shell/shell.ts'
import { Place, shells, type Shell } from './shells.ts'

let place: Place
beforeEach(() => {
  place = new Place()
})
afterEach(() => place.remove())

const WRITERS = 3
const FACTS = 80

/** One shell that sets W<n> to 1, 2, 3 … and lets a subshell do every tenth. */
function writer({ argv: [program, ...rest] }: Shell, n: number) {
  const script = `. '${shellLibraryPath()}'; i=1; while [ $i -le ${FACTS} ]; do
case $i in *0) (steadfold_set W${n} $i) ;; *) steadfold_set W${n} $i ;; esac || exit 1; i=$((i + 1)); done`
  return once(spawn(program, [...rest, '-c', script], { cwd: place.dir, stdio: 'ignore' }), 'exit')
}

test.each(shells)('S1: what $name hands in while it is taken is committed once, in order', async (shell) => {
  const workspace = await openWorkspace({ dir: place.dir })
  const session = await workspace.createSession({ name: 'one' })
  const others = await openWorkspace({ dir: place.dir })
  let running = true
  const writers = Promise.all(Array.from({ length: WRITERS }, (_, n) => writer(shell, n))).finally(
    () => (running = false),
  )
  const taker = async (from: typeof workspace) => {
    const spool = new Spool({ root: path.join(place.dir, '.steadfold'), now: Date.now })
    for (let last = false; !last;) {
      last = !running
      await takeIn(from, spool)
      // With nothing to take it waits for nothing, and nobody would be told that a writer has ended.
      await setImmediate()
    }
  }
  await Promise.all([taker(workspace), taker(others)])
  expect(await writers).toEqual(Array.from({ length: WRITERS }, () => [0, null]))
  await session.refresh()
  const seen: Record<string, string[]> = {}
  for await (const { events } of session.commits()) {
    for (const { type, data } of events) {
      // Events of this type hold a name and a value.
      const { name, value } = data as { readonly name: string; readonly value: string }
      if (type === 'output.set') (seen[name] ??= []).push(value)
    }
  }
  const wanted = Array.from({ length: FACTS }, (_, i) => String(i + 1))
  expect(seen).toEqual(Object.fromEntries(Array.from({ length: WRITERS }, (_, n) => [`W${n}`, wanted])))
  await Promise.all([workspace.close(), others.close()])
})
