/** A new session that shares history up to what is viewed. */
import { useState } from 'preact/hooks'
import { useReadOnly } from '../api/daemon.ts'
import { post, sessionPath } from '../api/request.ts'
import { ActionButton } from '../parts/action.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { go, to } from '../route/route.ts'
import { useViewed } from './session.ts'

interface ForkButtonProps {
  /** What is viewed, when left out. */
  readonly point?: number
}

export function ForkButton({ point }: ForkButtonProps) {
  const { at, line } = useViewed()
  // A session goes on while one thinks of a name: what was pressed for stays.
  const [from, open] = useState<string>()
  if (useReadOnly() !== undefined) return null
  return (
    <>
      <button type="button" onClick={() => open(String(point ?? at ?? line.seq))}>
        <Icon name="fork" /> Fork {point === undefined && at === undefined ? 'now' : 'from here'}
      </button>
      {from === undefined ? null : <ForkDialog from={from} onClose={() => open(undefined)} />}
    </>
  )
}

interface Forked {
  readonly session: { readonly id: string }
}

function ForkDialog({ from, onClose }: { readonly from: string; readonly onClose: () => void }) {
  const { id, line } = useViewed()
  const [typed, type] = useState(`${line.name}-${from}`)
  const fork = async () => {
    const { session } = await post<Forked>(sessionPath(id, 'session.fork'), { name: typed, at: from })
    onClose()
    go(to(['session', session.id]))
  }
  return (
    <Dialog title={`Fork ${line.name} at ${from}`} onClose={onClose}>
      <p>The new session has the same history up to this commit, and goes on by itself. This one stays as it is.</p>
      <form>
        <label>
          Name of the new session
          <input value={typed} onInput={(event) => type(event.currentTarget.value)} autoFocus autoComplete="off" />
        </label>
        <p class="buttons">
          <ActionButton
            type="submit"
            tone="main"
            run={fork}
            unless={typed.trim() === '' ? 'it needs a name' : undefined}
          >
            Fork
          </ActionButton>
        </p>
      </form>
    </Dialog>
  )
}
