/*
 * Text that others wrote may hold characters that are not seen, or turn the order of what is shown around, so that a name
 * or a command reads as another one. They are shown as what they are, as on the command line.
 */
import { options, type VNode } from 'preact'

/**
 * Controls but for ends of lines and tabs; what has no width, but for the joiners that scripts and emoji need; marks,
 * embeddings, overrides and isolates of the bidirectional algorithm; tags, but for those of the flags that end in one.
 */
const UNSEEN =
  /\u{1F3F4}[\u{E0061}-\u{E007A}]{5}\u{E007F}|(?!\r?\n|\t)[\p{Cc}\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu

/** A black one, which tags make that of a part of a country. */
const FLAG = 0x1f3f4

export const visible = (text: string): string => text.replaceAll(UNSEEN, nameOf)

function nameOf(letter: string): string {
  const code = letter.codePointAt(0) ?? 0
  if (code === FLAG) return letter
  const hex = code.toString(16).padStart(4, '0')
  return { '\r': '\\r', '\u001B': '\\e' }[letter] ?? (code > 0xffff ? `\\u{${hex}}` : `\\u${hex}`)
}

/** From now on, for all text that is drawn, wherever it stands, and for what elements are called. */
export function keepTextVisible(): void {
  const before = options.vnode
  options.vnode = (vnode) => {
    if (typeof vnode.type === 'string') show(vnode)
    else showText(vnode)
    before?.(vnode)
  }
}

/** A piece of text has no type, and is its own properties. */
function showText(piece: { readonly type: unknown; props: unknown }): void {
  if (piece.type === null && typeof piece.props === 'string') piece.props = visible(piece.props)
}

const SHOWN = ['title', 'aria-label', 'label', 'placeholder'] as const

function show({ props }: VNode): void {
  // An element is made anew for each drawing: nobody else has its properties.
  const own = props as Record<string, unknown>
  for (const name of SHOWN) {
    const value = own[name]
    if (typeof value === 'string') own[name] = visible(value)
  }
}
