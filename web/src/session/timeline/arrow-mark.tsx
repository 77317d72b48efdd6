/** Work that went from one to another; dashed until somebody took it. */
import { to } from '../../route/route.ts'
import { useViewed } from '../session.ts'
import type { PlacedArrow } from './layout.ts'

export function ArrowMark({ arrow: { of, from, to: end } }: { readonly arrow: PlacedArrow }) {
  const { id, at } = useViewed()
  const text = `handoff of ${of.what} from ${of.from} to ${of.to}: ${of.said}`
  const bend = (end.y - from.y) / 2
  return (
    <a
      class={of.end === undefined ? 'arrow open' : 'arrow'}
      href={to(['session', id, 'log'], { at, commit: of.seq })}
      aria-label={text}
    >
      <title>{text}</title>
      <circle cx={from.x} cy={from.y} r="2.5" />
      <path
        d={`M${from.x} ${from.y}C${from.x} ${from.y + bend} ${end.x} ${end.y - bend} ${end.x} ${end.y}`}
        marker-end="url(#tip)"
      />
    </a>
  )
}
