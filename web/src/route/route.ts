/*
 * The address is the view: what is shown, sorted, filtered, chosen and at which point.
 *
 * R1. Whoever opens an address sees the same view; nothing of it is kept elsewhere.
 * R2. Going somewhere is a step in the history; typing a filter or dragging is not.
 */
import { makeStore, useStore } from '../store.ts'

export interface Route {
  /** `/session/ID/log` is ['session', 'ID', 'log']. */
  readonly path: readonly string[]
  readonly query: URLSearchParams
}

export type Params = Readonly<Record<string, string | number | undefined>>

function routeOf({ pathname, search }: Pick<Location, 'pathname' | 'search'>): Route {
  const path = pathname.split('/').filter(Boolean).map(decoded)
  return { path, query: new URLSearchParams(search) }
}

/** The address of a view: `to(['session', id, 'log'], { at: 17 })`. */
export function to(path: readonly string[], params: Params = {}): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) if (value !== undefined) query.set(name, String(value))
  return `/${path.map(encodeURIComponent).join('/')}${queryText(query)}`
}

const route = makeStore<Route>(routeOf(location))

export const useRoute = (): Route => useStore(route)

/** R2 */
export function go(address: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (replace) history.replaceState(null, '', address)
  else history.pushState(null, '', address)
  route.set(routeOf(location))
  if (!replace) scrollTo(0, 0)
}

/** The same view with other parameters; undefined takes one away. */
export function setParams(params: Params, options: { readonly replace?: boolean } = { replace: true }): void {
  const query = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(params))
    if (value === undefined || value === '') query.delete(name)
    else query.set(name, String(value))
  go(`${location.pathname}${queryText(query)}`, options)
}

/** One parameter of the address, and how to change it without a step in the history. */
export function useParam(name: string): readonly [string | undefined, (value: string | undefined) => void] {
  const { query } = useRoute()
  return [query.get(name) ?? undefined, (value) => setParams({ [name]: value })]
}

/** Links inside the pages do not load anew. */
export function followLinks(): void {
  addEventListener('popstate', () => route.set(routeOf(location)))
  document.addEventListener('click', (event) => {
    const anchor = event.target instanceof Element ? event.target.closest('a') : null
    const address = anchor?.getAttribute('href') ?? ''
    const plain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    if (!plain || !address.startsWith('/') || anchor?.hasAttribute('download') === true) return
    event.preventDefault()
    go(address)
  })
}

const queryText = (query: URLSearchParams): string => (query.size === 0 ? '' : `?${query.toString()}`)

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
