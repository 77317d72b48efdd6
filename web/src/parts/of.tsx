import { createContext, type ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'

/** What a button that rows and cards repeat is pressed for; not seen, since it stands beside it, and said after its label. */
export const Of = ({ what }: { readonly what: string }) => <span class="unseen"> {useOf(what)}</span>

const Around = createContext('')

interface OneOfProps {
  readonly what: string
  readonly children: ComponentChildren
}

/** One of several that may hold the same: what is pressed in it says in which. */
export const OneOf = ({ what, children }: OneOfProps) => <Around.Provider value={what}>{children}</Around.Provider>

export function useOf(what: string): string {
  const around = useContext(Around)
  return around === '' ? what : `${what}, ${around}`
}
