/*
 * Code blocks of the documentation that are run as they are printed.
 *
 * A block runs when the line before its fence is `<!-- run -->`, or `<!-- run exit=4 -->` when it must end with that
 * status. Languages: sh (one shell per block, `set -eu`) and ts (type-checked, then run as a module). The blocks of one
 * page run in order in one folder, so a later one sees what an earlier one made. Blocks without the marker are pictures.
 */
export interface Block {
  readonly language: 'sh' | 'ts'
  readonly code: string
  readonly exit: number
  /** Line of the fence, from 1. */
  readonly line: number
}

const MARKER = /^<!-- run(?: exit=(\d+))? -->$/
const FENCE = /^```(\w+)$/

/** The runnable blocks of a page; a marker that stands before nothing runnable is an error, not a block less. */
export function runnableBlocks(page: string, markdown: string): readonly Block[] {
  const lines = markdown.split('\n')
  return lines.flatMap((text, index) => {
    const marker = MARKER.exec(text)
    if (!marker && /^<!--\s*run\b/.test(text))
      throw new Error(`${page}:${index + 1}: this marker is not known: ${text}`)
    return marker ? [blockAt(page, lines, { index: index + 1, exit: Number(marker[1] ?? 0) })] : []
  })
}

function blockAt(page: string, lines: readonly string[], at: { readonly index: number; readonly exit: number }): Block {
  const { index, exit } = at
  const language = FENCE.exec(lines[index] ?? '')?.[1]
  if (language !== 'sh' && language !== 'ts') throw new Error(`${page}:${index}: no sh or ts block follows this marker`)
  const length = lines.slice(index + 1).indexOf('```')
  if (length < 0) throw new Error(`${page}:${index + 1}: this block has no end`)
  return { language, exit, line: index + 1, code: `${lines.slice(index + 1, index + 1 + length).join('\n')}\n` }
}
