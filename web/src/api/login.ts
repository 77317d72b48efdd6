/** The word in the fragment of a link becomes a cookie, once, and leaves the address. */
import { post } from './request.ts'

/** Until it is answered the word stands in the address: a page that is loaded anew before asks with it again. */
export async function takeToken(): Promise<void> {
  const token = tokenHere()
  if (token === null) return
  // A link that was used before: the cookie may still be good, and the page says so if not.
  await post('login', { token }, { keepalive: true }).catch(() => undefined)
  if (tokenHere() === token) history.replaceState(null, '', `${location.pathname}${location.search}`)
}

const tokenHere = () => new URLSearchParams(location.hash.slice(1)).get('token')
