// The two sections that are made from other sections: hotspots and the summary. They read what those wrote, not the
// reports, so the numbers of a summary can only be the numbers of its sections.
import { blocks, cite, figures, number, place, plural, table } from './markdown.mjs'
import { POINTS, RULE, SECTION_LIMIT, SEVERITIES } from './rules.mjs'
import { byText } from './step.mjs'

const FIRST = 8
const FIRST_OF_SECTION = 3

export function hotspotsSection({ plan, parts }) {
  const rows = hotspots(plan, parts)
    .slice(0, 10)
    .map(({ file, sections, worst, ids }) => [
      cite({ file, line: 1 }),
      worst,
      sections.join(', '),
      ids.slice(0, 6).join(' ') + (ids.length > 6 ? ' …' : ''),
    ])
  const lead = 'Files that findings of two or more sections name: a change there pays more than once.'
  return {
    figures: [],
    body: blocks(
      rows.length > 0 ? lead : 'No file is named by findings of two sections.',
      table(['File', 'Worst', 'Sections', 'Findings'], rows),
    ),
  }
}

/** Most sections first, then the worst findings (by the points of the score), then the path. */
function hotspots({ findings }, parts) {
  const compared = new Set(parts.map((part) => part.name))
  const files = new Map()
  for (const one of findings) {
    if (!compared.has(one.section)) continue
    for (const file of new Set(one.where.filter((place) => place.line).map((place) => place.file))) {
      const spot = files.get(file) ?? { file, worst: one.severity, sections: new Set(), points: 0, ids: [] }
      spot.sections.add(one.section)
      spot.points += POINTS[one.severity]
      spot.ids.push(one.id)
      files.set(file, spot)
    }
  }
  return [...files.values()]
    .filter((spot) => spot.sections.size > 1)
    .map((spot) => ({ ...spot, sections: [...spot.sections] }))
    .sort((a, b) => b.sections.length - a.sections.length || b.points - a.points || byText(a.file, b.file))
}

export function summarySection({ plan, parts }) {
  const rows = parts
    .filter((part) => part.counts)
    .map((part) => [part.title, ...SEVERITIES.map((severity) => number(part.counts[severity])), figures(part.headline)])
  const total = SEVERITIES.map((severity) =>
    number(parts.reduce((sum, part) => sum + (part.counts?.[severity] ?? 0), 0)),
  )
  return {
    figures: [],
    body: blocks(
      table(['Section', 'High:', 'Medium:', 'Low:', 'In numbers'], [...rows, ['All', ...total, '']]),
      '### Start here',
      startHere(plan),
      '### How severity is decided',
      [
        ...SEVERITIES.map((severity) => `- ${severity}: ${RULE[severity]}.`),
        `- The score is 100 less ${SEVERITIES.map((one) => `${POINTS[one]} for each ${one}`).join(', ')}; one section takes ${SECTION_LIMIT} at most.`,
      ].join('\n'),
    ),
  }
}

function startHere({ findings }) {
  const serious = findings.filter((one) => one.severity !== 'low')
  const isEarly = (one) => serious.filter((other) => other.section === one.section).indexOf(one) < FIRST_OF_SECTION
  const first = serious.filter((one) => one.severity === 'high' || isEarly(one)).slice(0, FIRST)
  const shown = first.length > 0 ? first : findings.slice(0, 3)
  if (shown.length === 0) return 'Nothing was found that needs a change.'
  return shown
    .map(
      (one, index) =>
        `${index + 1}. ${one.id} ${one.severity}: ${one.title}, ${places(one.where, 2)}. ${sentence(one.advice)}`,
    )
    .join('\n')
}

const sentence = (words) => `${words[0].toUpperCase()}${words.slice(1)}.`

/** Up to `limit` places, then how many more. */
export function places(where, limit) {
  if (where.length === 0) return 'the whole tree'
  const shown = where.slice(0, limit).map((one) => (one.line ? cite(one) : place(one.file)))
  const more = where.length - shown.length
  return shown.join(', ') + (more > 0 ? ` and ${plural(more, 'more place')}` : '')
}
