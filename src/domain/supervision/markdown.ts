/*
 * Markdown as far as a report is read: headings, paragraphs and list items, in order, as plain text.
 *
 * D1. Front matter, fenced and indented code, tables, quotes, comments, HTML blocks, rules and link definitions are no text.
 * D2. Only the first 200,000 characters and 5,000 lines are read; every line is looked at a bounded number of times.
 * D3. What comes out is one line without markup, control characters or marks that change the direction of text.
 */
export interface Block {
  readonly kind: 'heading' | 'paragraph' | 'item'
  /** 1 to 6 of a heading; 0 of an item that stands in no other; else the depth. */
  readonly level: number
  readonly text: string
}

export interface Document {
  /** Members of the front matter that are one plain line. */
  readonly front: Readonly<Record<string, string>>
  readonly blocks: readonly Block[]
}

const MOST_LETTERS = 200_000
const MOST_LINES = 5000
const LONGEST_LINE = 4000

const FENCE = /^ {0,3}(`{3,}|~{3,})/
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/
const ITEM = /^(\s*)(?:[-*+]|\d{1,9}[.)])(?:[ \t]+(.*))?$/
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})$/
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/
/** D1: a quote, a table row, HTML, a definition of a link or a footnote. */
const OTHER = /^ {0,3}(?:>|\||<[a-zA-Z/!?]|\[[^\]]{1,200}\]:)/

export function readMarkdown(text: string): Document {
  const lines = text
    .slice(0, MOST_LETTERS)
    .replace(/^\ufeff/, '')
    .split(/\r\n|\r|\n/)
    .slice(0, MOST_LINES)
    .map((line) => line.slice(0, LONGEST_LINE))
  const { front, rest } = splitFront(lines)
  return { front, blocks: blocksOf(withoutHidden(rest)) }
}

/** `---`, lines of `name: value`, `---` or `...`; a block that has no end is no front matter. */
function splitFront(lines: readonly string[]): { readonly front: Document['front']; readonly rest: readonly string[] } {
  if (lines[0]?.trimEnd() !== '---') return { front: {}, rest: lines }
  const end = lines.findIndex((line, at) => at > 0 && /^(---|\.\.\.)\s*$/.test(line))
  if (end < 0) return { front: {}, rest: lines }
  const front: Record<string, string> = {}
  for (const line of lines.slice(1, end)) {
    const [, name, value = ''] = /^(title|summary|description):[ \t]+(\S.*)$/i.exec(line) ?? []
    // A value that goes on below, or is built from others, is left to YAML.
    if (name !== undefined && !/^[|>&*{[!]/.test(value)) front[name.toLowerCase()] = plainText(unquoted(value.trim()))
  }
  return { front, rest: lines.slice(end + 1) }
}

const unquoted = (value: string): string => /^(["'])(.*)\1$/.exec(value)?.[2] ?? value

/** D1: what is fenced or commented out becomes an empty line, so that it ends a paragraph. */
function withoutHidden(lines: readonly string[]): readonly string[] {
  let fence: string | undefined
  let comment = false
  return lines.map((line) => {
    if (comment) {
      comment = !line.includes('-->')
      return ''
    }
    const mark = FENCE.exec(line)?.[1]
    if (fence !== undefined) {
      if (mark !== undefined && mark.startsWith(fence) && line.trim() === mark) fence = undefined
      return ''
    }
    if (mark !== undefined && !(mark.startsWith('`') && line.slice(line.indexOf(mark) + mark.length).includes('`'))) {
      fence = mark
      return ''
    }
    const shown = line.replaceAll(/<!--.*?-->/g, '')
    const opened = shown.indexOf('<!--')
    if (opened < 0) return shown
    comment = true
    return shown.slice(0, opened)
  })
}

interface Open {
  readonly kind: 'paragraph' | 'item'
  readonly level: number
  readonly lines: string[]
}

/** Lines into blocks: a small machine whose only memory is the block that is open. */
class Reader {
  readonly blocks: Block[] = []
  #open: Open | undefined
  /** Columns at which the lists around the open item begin. */
  #indents: number[] = []
  #other = false

  take(line: string): void {
    if (line.trim() === '') return this.#blank()
    if (this.#other) return
    const underline = UNDERLINE.exec(line)?.[1]
    if (underline !== undefined && this.#open?.kind === 'paragraph') return this.#underlined(underline)
    const [, marks, title = ''] = HEADING.exec(line) ?? []
    if (marks !== undefined) return this.#heading(marks, title)
    if (RULE.test(line)) return this.#close()
    const [, indent, text = ''] = ITEM.exec(line) ?? []
    if (indent !== undefined) return this.#item(indent, text)
    this.#plain(line)
  }

  #plain(line: string): void {
    if (this.#open !== undefined) this.#open.lines.push(line)
    else if (OTHER.test(line)) this.#other = true
    else if (!/^(?: {4}|\t)/.test(line)) this.#open = { kind: 'paragraph', level: 0, lines: [line] }
  }

  end(): readonly Block[] {
    this.#close()
    return this.blocks
  }

  #blank(): void {
    this.#close()
    this.#other = false
  }

  #underlined(mark: string): void {
    const text = this.#open?.lines.join(' ') ?? ''
    this.#open = undefined
    this.#add('heading', mark.startsWith('=') ? 1 : 2, text)
  }

  #heading(marks: string, text: string): void {
    this.#close()
    this.#indents = []
    this.#add('heading', marks.length, text.replace(/(?:^|[ \t])#+[ \t]*$/, ''))
  }

  #item(indent: string, text: string): void {
    const column = indent.replaceAll('\t', '    ').length
    // So far in, with no list around it, it is code.
    if (this.#indents.length === 0 && column > 3) return
    this.#close()
    while (this.#indents.length > 1 && column < (this.#indents.at(-1) ?? 0)) this.#indents.pop()
    if (this.#indents.length === 0 || column >= (this.#indents.at(-1) ?? 0) + 2) this.#indents.push(column)
    this.#open = { kind: 'item', level: this.#indents.length - 1, lines: [text.replace(/^\[[ xX]\][ \t]+/, '')] }
  }

  #close(): void {
    const open = this.#open
    this.#open = undefined
    if (open !== undefined) this.#add(open.kind, open.level, open.lines.join(' '))
    if (open?.kind === 'paragraph') this.#indents = []
  }

  #add(kind: Block['kind'], level: number, markup: string): void {
    const text = plainText(markup)
    if (text !== '') this.blocks.push({ kind, level, text })
  }
}

function blocksOf(lines: readonly string[]): readonly Block[] {
  const reader = new Reader()
  for (const line of lines) reader.take(line)
  return reader.end()
}

/** D3. Each pattern looks at most 1,000 characters ahead. */
export function plainText(markup: string): string {
  return markup
    .slice(0, LONGEST_LINE)
    .split(/`{1,3}/)
    .map((part, at) => (at % 2 === 0 ? withoutMarks(part) : part))
    .join('')
    .replaceAll(/[\p{Cc}\p{Cs}\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .trim()
}

const withoutMarks = (text: string): string =>
  text
    .replaceAll(/!?\[([^[\]]{0,1000})\]\([^()\s]{0,1000}(?:\s"[^"]{0,200}")?\)/g, '$1')
    .replaceAll(/\[([^[\]]{1,200})\]\[[^[\]]{0,200}\]/g, '$1')
    .replaceAll(/<(https?:[^<>\s]{1,1000})>/g, '$1')
    .replaceAll(/<\/?[a-zA-Z][^<>]{0,1000}>/g, '')
    .replaceAll(/\[\^[^[\]]{1,60}\]/g, '')
    .replaceAll(/(?<![\p{L}\p{N}\\])(\*{1,3}|_{1,3}|~~)(?=\S)/gu, '')
    .replaceAll(/(?<=[^\s\\])(\*{1,3}|_{1,3}|~~)(?![\p{L}\p{N}])/gu, '')
    .replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')
