/*
 * Where the focus goes when what has it goes away, as a button does whose work is done: browsers give it to nobody, and
 * whoever uses the keyboard would begin anew at the top.
 *
 *   its row stays ─► the row      its row goes ─► the next, the one before      else ─► the heading of its part, the page
 *
 * It goes to no other button: whoever presses twice does nothing more.
 */
const ITEMS = 'tr:not([aria-hidden]), li, article'
const PARTS = `${ITEMS}, section`
const SCROLLERS = '[role=region][tabindex="0"]'

/** What was taken out of the page, and between what it stood. */
interface Gap {
  readonly node: Node
  readonly target: Node
  readonly next: Node | null
  readonly before: Node | null
}

export function keepFocus(): void {
  let last: Element | undefined
  addEventListener('focusin', ({ target }) => (last = target instanceof Element ? target : undefined))
  // Whoever left it by a click has it nowhere, and wants that.
  addEventListener('focusout', () =>
    setTimeout(() => {
      if (last?.isConnected === true && document.activeElement === document.body) last = undefined
    }),
  )
  new MutationObserver((records) => {
    if (last === undefined || last.isConnected || document.activeElement !== document.body) return
    const gap = gapOf(records, last)
    last = undefined
    if (gap !== undefined) give(heirOf(gap))
  }).observe(document.body, { childList: true, subtree: true })
}

/** Of several parts that went, one in the other, the outermost. */
function gapOf(records: readonly MutationRecord[], lost: Element): Gap | undefined {
  let gap: Gap | undefined
  for (const { removedNodes, target, nextSibling: next, previousSibling: before } of records)
    for (const node of removedNodes) if (node.contains(gap?.target ?? lost)) gap = { node, target, next, before }
  return gap
}

function heirOf({ node, target, next, before }: Gap): Element | null {
  const beside =
    node instanceof Element && node.matches(PARTS) ? (nearest(next, 'next') ?? nearest(before, 'before')) : undefined
  const around = target instanceof Element ? target : target.parentElement
  const part = beside ?? around?.closest(SCROLLERS) ?? around?.closest(PARTS)
  const heir = part?.matches('section') === true ? part.querySelector('h1, h2, h3') : part
  return heir?.isConnected === true ? heir : document.querySelector('#main')
}

function nearest(from: Node | null, way: 'next' | 'before'): Element | undefined {
  for (let node = from; node?.isConnected === true; node = way === 'next' ? node.nextSibling : node.previousSibling)
    if (node instanceof Element && node.matches(PARTS)) return node
  return undefined
}

function give(heir: Element | null): void {
  if (!(heir instanceof HTMLElement)) return
  if (!heir.hasAttribute('tabindex')) {
    heir.tabIndex = -1
    heir.addEventListener('blur', () => heir.removeAttribute('tabindex'), { once: true })
  }
  heir.focus({ preventScroll: true })
}
