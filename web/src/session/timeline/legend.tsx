/** What the marks of the timeline mean. */
export const Legend = () => (
  <>
    <Sample kind="step">step</Sample>
    <Sample kind="task">task</Sample>
    <Sample kind="turn">turn or worker</Sample>
    <span>▸ under way</span>
    <span>✓ done</span>
    <span>✕ failed</span>
    <span>↩ given back</span>
    <span>
      <svg width="22" height="12" aria-hidden="true">
        <rect width="22" height="12" fill="url(#hatch)" />
      </svg>{' '}
      inferred
    </span>
    <span>⤳ handoff, dashed until accepted</span>
  </>
)

const Sample = ({ kind, children }: { readonly kind: 'step' | 'task' | 'turn'; readonly children: string }) => (
  <span>
    <svg width="22" height="12" aria-hidden="true" class={`bar-mark ${kind} good`}>
      <rect class="body" x="0.5" y="0.5" width="21" height="11" rx={kind === 'step' ? 3 : kind === 'task' ? 0 : 6} />
    </svg>{' '}
    {children}
  </span>
)
