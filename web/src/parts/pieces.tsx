/** The first of many, and a button for more: what is put into the page as a whole makes it stand still for seconds. */
import { useState } from 'preact/hooks'

/** How many are shown: at first `piece`, and ten times as many more whenever more are asked for. */
export function usePieces(piece: number): readonly [shown: number, showMore: () => void] {
  const [shown, show] = useState(piece)
  return [shown, () => show(shown + 10 * piece)]
}

interface MoreProps {
  /** How many are not shown. */
  readonly left: number
  readonly onMore: () => void
}

export const More = ({ left, onMore }: MoreProps) => (
  <button type="button" class="quiet" onClick={onMore}>
    {left.toLocaleString('en')} more
  </button>
)
