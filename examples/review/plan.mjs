// Plan: from the four reports to an ordered list of findings and the sections worth writing. Writes .review/plan.json.
// Order: severity, then section, then weight (size, count), then path. The rule of severity is lib/rules.mjs.
import { createHash } from 'node:crypto'
import { basename, join } from 'node:path'
import { findingsOf } from './lib/findings.mjs'
import { KINDS, SECTIONS, SEVERITIES, countSeverities, scoreOf } from './lib/rules.mjs'
import { Stop, byText, load, main, save } from './lib/step.mjs'

const RESEARCH = ['structure', 'dependencies', 'todo', 'tests']

main(({ input, work }) => {
  const reports = Object.fromEntries(RESEARCH.map((name) => [name, report(work, name)]))
  const findings = numbered(ordered(findingsOf(reports)))
  const plan = {
    title: titleOf(input, reports.dependencies),
    tree: reports.structure.digest,
    // Four processes read the tree one after another; a tree that is being edited can differ between them.
    sameTree: RESEARCH.every((name) => reports[name].digest === reports.structure.digest),
    score: reports.structure.totals.files === 0 ? null : scoreOf(findings),
    counts: countSeverities(findings),
    sections: SECTIONS.map((section) => sectionPlan(section, reports, findings)),
    findings,
  }
  const digest = createHash('sha256').update(JSON.stringify(plan)).digest('hex').slice(0, 16)
  save(join(work, 'plan.json'), { digest, ...plan })
  return outputs(plan, digest)
})

/** A report that another run left behind is refused: the run hands over the digest that belongs to it. */
function report(work, name) {
  const found = load(join(work, `${name}.json`), name)
  const expected = process.env[`TREE_${name.toUpperCase()}`]
  if (expected && expected !== found.digest)
    throw new Stop(`${name}.json is of tree ${found.digest}, expected ${expected}`)
  return found
}

function titleOf(input, { manifests }) {
  const own = manifests.find((one) => one.file === 'package.json')
  return own?.name ?? basename(input)
}

function ordered(findings) {
  const sections = SECTIONS.map((section) => section.name)
  const first = (one) => one.where[0]?.file ?? ''
  return findings
    .map((one) => ({ section: KINDS[one.kind].section, ...one, advice: KINDS[one.kind].advice }))
    .sort(
      (a, b) =>
        SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
        sections.indexOf(a.section) - sections.indexOf(b.section) ||
        b.weight - a.weight ||
        byText(first(a), first(b)) ||
        (a.where[0]?.line ?? 0) - (b.where[0]?.line ?? 0) ||
        byText(a.title, b.title),
    )
}

function numbered(findings) {
  const next = new Map()
  return findings.map((one) => {
    const { letter } = SECTIONS.find((section) => section.name === one.section)
    next.set(letter, (next.get(letter) ?? 0) + 1)
    return { id: `${letter}${next.get(letter)}`, ...one }
  })
}

function sectionPlan({ name, title, number, letter }, reports, findings) {
  const own = findings.filter((one) => one.section === name)
  const reason = leftOut(name, reports, findings)
  return { name, title, number, letter, included: reason === undefined, reason, counts: countSeverities(own) }
}

/** Why a section is not worth writing for this tree; undefined when it is. */
function leftOut(name, { structure, dependencies, todo, tests }, findings) {
  const own = findings.some((one) => one.section === name)
  if (name === 'dependencies' && dependencies.manifests.length === 0 && !own)
    return 'no dependency manifest in the tree'
  if (name === 'tests' && tests.totals['source files that tests should know'] === 0 && !own)
    return 'no source file to test'
  if (name === 'markers' && structure.totals.files === 0) return 'no file to search'
  if (name === 'dead-code' && todo.followed === 0 && !own) return 'no source whose imports could be followed'
  if (name === 'hotspots' && findings.length === 0) return 'no findings to compare'
  return undefined
}

function outputs({ score, counts, findings, sections }, digest) {
  return {
    digest,
    findings: findings.length,
    score: score ?? 'none',
    summary: `${counts.high} high, ${counts.medium} medium, ${counts.low} low\n${sections.filter((one) => one.included).length} sections`,
  }
}
