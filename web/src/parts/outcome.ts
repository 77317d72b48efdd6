/** What was done last by a button, for whoever hears the page: the button may be gone by then. */
import { makeStore } from '../store.ts'

export const outcome = makeStore('')

/** Runs what a button of that name is pressed for. What fails is said beside it. */
export async function telling(name: string, run: () => Promise<unknown>): Promise<void> {
  // The same is said again only as something new.
  outcome.set('')
  await run()
  outcome.set(`${name}: done`)
}
