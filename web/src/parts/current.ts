import { useLayoutEffect, useRef } from 'preact/hooks'

/** For a row of links that may be wider than the window: the one that is current stays in view. */
export function useCurrentInView<Row extends HTMLElement>(current: string) {
  const row = useRef<Row>(null)
  useLayoutEffect(() => {
    row.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [current])
  return row
}
