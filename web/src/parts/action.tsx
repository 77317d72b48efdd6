/*
 * A button that does something for good.
 *
 * A1. Nothing is optimistic: it is pending until its commit is durable and what it changed has been read again.
 * A2. What cannot be taken back wants the name of what it is done to, typed.
 * A3. A refusal stays beside the button, with what may be done instead.
 * A4. Where a file is looked at, no button does anything, wherever it stands.
 * A5. That it is done is said aloud, with the name of the button, which goes with what it was for.
 */
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { useReadOnly } from '../api/daemon.ts'
import { Confirm } from './confirm.tsx'
import { Failure } from './failure.tsx'
import { telling } from './outcome.ts'

interface ActionProps {
  readonly children: ComponentChildren
  readonly run: () => Promise<unknown>
  readonly tone?: 'main' | 'plain' | 'bad'
  /** Why it cannot be done now; the button says it. */
  readonly unless?: string | undefined
  /** It only reads, so A4 does not hold for it. */
  readonly reads?: boolean
  /** Of submit: Enter in a field of the form around it presses it, and no page is asked for. */
  readonly type?: 'button' | 'submit'
  /** A2 */
  readonly confirm?: { readonly title: string; readonly name: string; readonly warning: string }
}

export function ActionButton(props: ActionProps) {
  const { children, run, tone = 'plain', unless: here, reads = false, type = 'button', confirm } = props
  const readOnly = useReadOnly()
  const unless = (reads ? undefined : readOnly) ?? here
  const { button, pending, error, start } = useRun(run, reads)
  const [asking, setAsking] = useState(false)
  const press = (event: Event) => {
    event.preventDefault()
    if (pending || unless !== undefined) return
    if (confirm === undefined) void start()
    else setAsking(true)
  }
  const yes = () => {
    setAsking(false)
    void start()
  }
  const off = pending || unless !== undefined
  return (
    <span class="action">
      <button
        ref={button}
        type={type}
        class={tone}
        onClick={press}
        aria-disabled={off}
        aria-busy={pending}
        title={unless}
      >
        {children}
        {pending ? <span class="faint"> …</span> : null}
      </button>
      {error === undefined ? null : <Failure error={error} />}
      {asking && confirm !== undefined ? <Confirm {...confirm} onYes={yes} onClose={() => setAsking(false)} /> : null}
    </span>
  )
}

function useRun(run: ActionProps['run'], reads: boolean) {
  const button = useRef<HTMLButtonElement>(null)
  const [pending, setPending] = useState(false)
  const [error, setError] = useState<unknown>()
  const start = async () => {
    setError(undefined)
    setPending(true)
    await (reads ? run() : telling(button.current?.textContent ?? '', run)).catch(setError)
    setPending(false)
  }
  return { button, pending, error, start }
}
