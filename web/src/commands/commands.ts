/*
 * What can be done from the keyboard. One list makes the palette and the map of keys.
 *
 *   useCommands([{ id, title, keys, run }])     while the component is there
 */
import { useLayoutEffect } from 'preact/hooks'
import { makeStore } from '../store.ts'

export interface Command {
  readonly id: string
  readonly title: string
  /** `?`, `g i` for one after the other, `mod+k` for ⌘ or Ctrl. */
  readonly keys?: string
  readonly group: 'Go' | 'View' | 'Session' | 'Time'
  readonly run: () => void
}

export const commands = makeStore<readonly Command[]>([])

/** `inputs` are what the commands depend on, as for an effect. A key works as soon as its page is seen. */
export function useCommands(list: readonly Command[], inputs: readonly unknown[]): void {
  useLayoutEffect(() => {
    commands.set([...commands.get(), ...list])
    return () => commands.set(commands.get().filter((each) => !list.includes(each)))
  }, inputs)
}
