/** The word in the fragment of a link becomes a cookie, once, and leaves the address. */
import { post } from './request.ts'

export async function takeToken(): Promise<void> {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token === null) return
  history.replaceState(null, '', `${location.pathname}${location.search}`)
  // A link that was used before: the cookie may still be good, and the page says so if not.
  await post('login', { token }).catch(() => undefined)
}
