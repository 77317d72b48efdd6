/*
 * Text of any length. The beginning of a long one is shown, and the rest in pieces.
 *
 * X1. That something is left out stands in the text itself: who copies what is shown, or searches the page, sees it.
 * X2. All of it can be copied without showing it.
 */
import { useCopy } from './copy.tsx'
import { Of } from './of.tsx'
import { useShown } from './pieces.tsx'

const PIECE = 5000
/** Of what is copied or shown. */
const NAME = 40

interface LongTextProps {
  readonly text: string
  /** So much of it is shown at first. */
  readonly piece?: number
}

export const LongText = ({ text, piece = PIECE }: LongTextProps) =>
  text.length > piece ? <Cut text={text} piece={piece} /> : <>{text}</>

function Cut({ text, piece }: Required<LongTextProps>) {
  const [shown, showMore] = useShown(piece)
  const [said, copy] = useCopy(text, 'show all of it and copy it by hand')
  const head = beginningOf(text, shown)
  const left = text.length - head.length
  const of = <Of what={beginningOf(text, NAME)} />
  return (
    <>
      {head}
      {left > 0 ? <b class="left-out">… {left.toLocaleString('en')} characters are not shown</b> : null}
      <span class="long-text">
        {left > 0 ? (
          <button type="button" class="quiet" onClick={showMore}>
            Show more
            {of}
          </button>
        ) : null}
        <button type="button" class="quiet" onClick={copy}>
          Copy all
          {of}
        </button>
        <span class="said" role="status">
          {said}
        </span>
      </span>
    </>
  )
}

/** A character of two code units is left whole. */
export const beginningOf = (text: string, end: number): string =>
  text.slice(0, /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) ? end - 1 : end)
