/** What the browser calls the view, the most particular first. */
import { useEffect } from 'preact/hooks'
import { visible } from '../app/visible-text.ts'

export function useTitle(...parts: readonly (string | undefined)[]): void {
  const title = visible([...parts, 'Steadfold'].filter(Boolean).join(' · '))
  useEffect(() => void (document.title = title), [title])
}
