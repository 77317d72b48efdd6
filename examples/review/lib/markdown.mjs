// Everything that reaches the report passes here: text of the tree under review is hostile.
// D1 A path is shown with %XX for what could break a line, a table or a reader's eye, so it can be read back exactly.
// D2 A code span that ends in `:digits` is a citation, and nothing else ever ends so: the checker relies on it.
// D3 `**1,234** label` is a figure, and nothing else is bold: the checker relies on it.

const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}%`|<>*\\]/gu

/** A path (or any name) as it may stand in a code span of a table; `readPath` is the inverse. */
export const showPath = (path) => path.replace(UNSAFE, percent).replace(/^ | $/g, percent)

export const readPath = (shown) =>
  shown.replace(/(?:%[0-9A-F]{2})+/g, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'))

const percent = (char) =>
  [...Buffer.from(char)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')

export const cite = ({ file, line }) => `\`${showPath(file)}:${line ?? 1}\``

/** A file without a line, in full: the checker looks for it too. */
export const place = (file) => `\`${showPath(file).replace(/:(?=\d+$)/, '%3A')}\``

/** A name in a code span that is no citation. */
export const code = (name) => {
  const shown = showPath(short(String(name), 120)) || ' '
  return `\`${shown.replace(/:(?=\d+$)/, '%3A')}\``
}

/** Free text of the tree (a comment, a licence): one line, no markup. */
export const text = (value, limit = 120) =>
  short(
    String(value)
      .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
      .trim(),
    limit,
  ).replace(/[\\`*_{}[\]<>|~#$&]/g, '\\$&')

function short(value, limit) {
  const chars = Array.from(value.slice(0, limit * 2 + 2))
  return chars.length > limit ? `${chars.slice(0, limit - 1).join('')}…` : value
}

/** 1234 → 1,234, the same in every locale. */
export const number = (value) => String(value).replace(/\B(?=(?:\d{3})+(?!\d))/g, ',')
export const figure = (value, label) => `**${number(value)}** ${label}`
export const figures = (pairs) => pairs.map(([label, value]) => figure(value, label)).join(' · ')
export const plural = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`

export function bytes(size) {
  if (size < 1024) return `${size} B`
  const kib = size / 1024
  return kib < 1024 ? `${kib.toFixed(1)} KiB` : `${(kib / 1024).toFixed(1)} MiB`
}

/** Columns are `name` or `name:` (right-aligned); cells are finished Markdown. */
export function table(columns, rows) {
  if (rows.length === 0) return ''
  const head = columns.map((column) => column.replace(/:$/, ''))
  const rule = columns.map((column) => (column.endsWith(':') ? '---:' : '---'))
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** Joins blocks with one empty line between them, leaving out empty ones. */
export const blocks = (...parts) => `${parts.flat().filter(Boolean).join('\n\n')}\n`
