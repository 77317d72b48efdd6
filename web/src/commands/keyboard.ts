/** Keys that run commands. Whoever types into a field, or answers a dialog, is left alone. */
import { makeStore } from '../store.ts'
import { commands } from './commands.ts'

const NAME = 'steadfold.keys'

/** Whether letters and signs are keys: who speaks to the browser, or touches keys in passing, turns them off. */
export const singleKeys = makeStore(localStorage.getItem(NAME) !== 'off')

export function turnSingleKeys(on: boolean): void {
  localStorage.setItem(NAME, on ? 'on' : 'off')
  singleKeys.set(on)
}

const PATIENCE_MS = 1200
/** A slider takes no letters. */
const FIELDS = 'input:not([type=range]), textarea, select, [contenteditable]'

export function listenToKeys(): void {
  let before = ''
  let timer: ReturnType<typeof setTimeout> | undefined
  addEventListener('keydown', (event) => {
    const word = wordOf(event)
    if (word === undefined || event.defaultPrevented) return
    if (!word.startsWith('mod+') && isBusy(event.target)) return
    if (word.length === 1 && !singleKeys.get()) return
    const pressed = before === '' ? word : `${before} ${word}`
    const found = find(pressed) ?? find(word)
    clearTimeout(timer)
    before = found === undefined && commands.get().some(({ keys }) => keys?.startsWith(`${word} `) === true) ? word : ''
    timer = setTimeout(() => (before = ''), PATIENCE_MS)
    if (found === undefined) return
    event.preventDefault()
    found.run()
  })
}

/** What was added last goes first: a part of a page before the page. */
const find = (keys: string) => commands.get().findLast((command) => command.keys === keys)

function wordOf({ key, metaKey, ctrlKey, altKey }: KeyboardEvent): string | undefined {
  if (altKey || ['Shift', 'Control', 'Meta', 'Alt'].includes(key)) return undefined
  return metaKey || ctrlKey ? `mod+${key.toLowerCase()}` : key
}

function isBusy(target: EventTarget | null): boolean {
  if (document.querySelector('dialog[open]') !== null) return true
  return target instanceof Element && target.closest(FIELDS) !== null
}
