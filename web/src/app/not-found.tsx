import { useTitle } from '../route/title.ts'

const TITLE = 'There is no such page'

export function NotFound() {
  useTitle(TITLE)
  return (
    <div class="empty">
      <h1>{TITLE}</h1>
      <p>
        The address may be mistyped. <a href="/">Go to the inbox</a>, or press <kbd>?</kbd> for what there is.
      </p>
    </div>
  )
}
