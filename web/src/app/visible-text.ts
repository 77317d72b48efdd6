/*
 * Text that others wrote may hold characters that turn the order of what is shown around, so that a name or a command
 * reads as another one. They are shown as what they are, as on the command line.
 */
import { options, type VNode } from 'preact'

/** Marks, embeddings, overrides and isolates of the bidirectional algorithm. */
const TURNING = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g
const MAY_TURN = /[\u061C\u200E-\u202E\u2066-\u2069]/

export const visible = (text: string): string =>
  MAY_TURN.test(text)
    ? text.replaceAll(TURNING, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : text

/** From now on, for every element that is drawn. */
export function keepTextVisible(): void {
  const before = options.vnode
  options.vnode = (vnode) => {
    if (typeof vnode.type === 'string') show(vnode)
    before?.(vnode)
  }
}

const SHOWN = ['children', 'title', 'aria-label', 'label', 'placeholder'] as const

function show({ props }: VNode): void {
  // An element is made anew for each drawing: nobody else has its properties.
  const own = props as Record<string, unknown>
  for (const name of SHOWN) {
    const value = own[name]
    if (typeof value === 'string') own[name] = visible(value)
    else if (Array.isArray(value))
      own[name] = value.map((child: unknown) => (typeof child === 'string' ? visible(child) : child))
  }
}
