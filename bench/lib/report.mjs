/** One line of the table: a figure, what it is held against, and whether the promise is kept. */
export function row({
  id,
  work,
  ours,
  peer = '',
  ratio,
  figure,
  target,
  limit,
  atLeast = false,
  unit = '',
  detail = {},
}) {
  const measured = ratio ?? figure
  const pass = atLeast ? measured.median >= limit : measured.median <= limit
  return { id, work, ours, peer, measured, kind: ratio === undefined ? 'figure' : 'ratio', unit, target, pass, detail }
}

/** A line without a verdict: what helps to read the others. */
export const note = (id, work, ours, extra = {}) => ({ id, work, ours, peer: '', ...extra })

export function count(value) {
  if (value >= 10_000) return `${Math.round(value / 1000)}k`
  if (value >= 1000) return `${(value / 1000).toFixed(1)}k`
  return value >= 100 ? String(Math.round(value)) : value.toPrecision(3)
}

export function time(us) {
  if (us >= 1e6) return `${(us / 1e6).toFixed(2)} s`
  if (us >= 1000) return `${(us / 1000).toPrecision(3)} ms`
  return us >= 1 ? `${us.toPrecision(3)} µs` : `${(us * 1000).toPrecision(3)} ns`
}

export const rate = (perSecond) => `${count(perSecond)}/s`

const number = (value) => (value >= 100 ? String(Math.round(value)) : value.toFixed(value >= 10 ? 1 : 2))

function cells(entry) {
  const { measured, kind, unit } = entry
  const sign = kind === 'ratio' ? ' ×' : unit
  const figure = measured === undefined ? '' : `${number(measured.median)}${sign}`
  const noise = measured === undefined ? '' : `${number(measured.min)}–${number(measured.max)}`
  const verdict = entry.pass === undefined ? '' : entry.pass ? 'pass' : 'FAIL'
  return [entry.id, entry.work, entry.ours, entry.peer, figure, noise, entry.target ?? '', verdict]
}

const HEAD = ['', 'work', 'steadfold', 'against', 'figure', 'noise', 'target', '']

export function table(rows) {
  const lines = [HEAD, ...rows.map(cells)]
  const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => line[column].length)))
  const text = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  )
  text.splice(1, 0, widths.map((width) => '-'.repeat(width)).join('  '))
  return text.join('\n')
}
