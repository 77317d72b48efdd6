/*
 * A button that does something for good.
 *
 * A1. Nothing is optimistic: it is pending until its commit is durable and what it changed has been read again.
 * A2. What cannot be taken back wants the name of what it is done to, typed.
 * A3. A refusal stays beside the button, with what may be done instead.
 * A4. Where a file is looked at, no button does anything, wherever it stands.
 */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useReadOnly } from '../api/daemon.ts'
import { Confirm } from './confirm.tsx'
import { Failure } from './failure.tsx'

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
  const [pending, setPending] = useState(false)
  const [error, setError] = useState<unknown>()
  const [asking, setAsking] = useState(false)
  const start = async () => {
    setAsking(false)
    setError(undefined)
    setPending(true)
    await run().catch(setError)
    setPending(false)
  }
  const press = (event: Event) => {
    event.preventDefault()
    if (pending || unless !== undefined) return
    if (confirm === undefined) void start()
    else setAsking(true)
  }
  const off = pending || unless !== undefined
  return (
    <span class="action">
      <button type={type} class={tone} onClick={press} aria-disabled={off} aria-busy={pending} title={unless}>
        {children}
        {pending ? <span class="faint"> …</span> : null}
      </button>
      {error === undefined ? null : <Failure error={error} />}
      {asking && confirm !== undefined ? (
        <Confirm {...confirm} onYes={() => void start()} onClose={() => setAsking(false)} />
      ) : null}
    </span>
  )
}
