/** What the browser calls the view, the most particular first. */
import { useEffect } from 'preact/hooks'
import { visible } from '../app/visible-text.ts'
import { makeStore } from '../store.ts'

/** Browsers say it aloud only of a page that is loaded. */
export const shownTitle = makeStore('')

export function useTitle(...parts: readonly (string | undefined)[]): void {
  const next = visible([...parts, 'Steadfold'].filter(Boolean).join(' · '))
  useEffect(() => {
    document.title = next
    shownTitle.set(next)
  }, [next])
}
