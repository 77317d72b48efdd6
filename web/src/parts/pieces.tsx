/** The first of many, and a button for more: what is put into the page as a whole makes it stand still for seconds. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { Of } from './of.tsx'

/** How many are shown: at first `piece`, and ten times as many more whenever more are asked for. */
export function useShown(piece: number): readonly [shown: number, showMore: () => void] {
  const [shown, show] = useState(piece)
  return [shown, () => show(shown + 10 * piece)]
}

/** The first of `all`, and the button for the rest while there is one; `of` tells it from others of the page. */
export function usePieces<T>(
  all: readonly T[],
  piece: number,
  of?: string,
): readonly [first: readonly T[], more: VNode | null] {
  const [shown, showMore] = useShown(piece)
  const more =
    all.length > shown ? (
      <button type="button" class="quiet" onClick={showMore}>
        {(all.length - shown).toLocaleString('en')} more
        {of === undefined ? null : <Of what={of} />}
      </button>
    ) : null
  return [all.slice(0, shown), more]
}
