/** Which rows of a long list are near enough to be drawn. All rows have the same height. */
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

export interface Window {
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly first: number
  /** Behind the last. */
  readonly end: number
  /** Heights of what is left out, in pixels. */
  readonly above: number
  readonly below: number
  /** Brings a row into view. */
  readonly show: (row: number) => void
}

const SPARE = 12

export function useWindow(rows: number, height: number): Window {
  const scroller = useRef<HTMLDivElement>(null)
  const [[top, room], look] = useState<readonly [number, number]>([0, 900])
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return
    const measure = () =>
      look((before) => {
        const next = [Math.floor(element.scrollTop / height), element.clientHeight] as const
        return next[0] === before[0] && next[1] === before[1] ? before : next
      })
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    element.addEventListener('scroll', measure, { passive: true })
    measure()
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', measure)
    }
  }, [height])
  const first = Math.max(0, Math.min(top - SPARE, rows))
  const end = Math.min(rows, top + Math.ceil(room / height) + SPARE)
  const show = (row: number) => {
    const element = scroller.current
    if (element === null) return
    const [from, to] = [row * height, (row + 2) * height]
    if (from < element.scrollTop) element.scrollTop = from
    else if (to > element.scrollTop + element.clientHeight) element.scrollTop = to - element.clientHeight
  }
  return { scroller, first, end, above: first * height, below: (rows - end) * height, show }
}
