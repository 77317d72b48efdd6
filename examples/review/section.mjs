// Implement: writes one section of the report. `node section.mjs NAME` → .review/sections/NN-NAME.md and .json.
// The .json says what the section claims (figures, counts); sections that build on others read it.
import { join } from 'node:path'
import { figure, plural, table } from './lib/markdown.mjs'
import { hotspotsSection, places, summarySection } from './lib/overview.mjs'
import { SEVERITIES } from './lib/rules.mjs'
import {
  deadCodeSection,
  dependenciesSection,
  figureLine,
  limitsSection,
  markersSection,
  structureSection,
  testsSection,
} from './lib/sections.mjs'
import { Stop, load, main, save } from './lib/step.mjs'

const ROWS = 15

const WRITERS = {
  structure: { needs: ['structure'], write: structureSection },
  dependencies: { needs: ['dependencies'], write: dependenciesSection },
  tests: { needs: ['tests'], write: testsSection },
  markers: { needs: ['todo'], write: markersSection },
  'dead-code': { needs: ['todo'], write: deadCodeSection },
  hotspots: { needs: [], parts: ['structure', 'tests', 'markers', 'dead-code'], write: hotspotsSection },
  limits: { needs: ['structure', 'dependencies', 'todo', 'tests'], write: limitsSection },
  summary: { needs: [], parts: ['structure', 'dependencies', 'tests', 'markers', 'dead-code'], write: summarySection },
}

main(({ work }) => {
  const name = process.argv[2]
  const writer = Object.hasOwn(WRITERS, name ?? '') ? WRITERS[name] : undefined
  if (!writer) throw new Stop(`name a section: ${Object.keys(WRITERS).join(', ')}`)
  const plan = thePlan(work)
  const section = plan.sections.find((one) => one.name === name)
  const file = join(work, 'sections', `${section.number}-${name}`)
  const part = section.included ? written(work, plan, section, writer) : omitted(section)
  save(`${file}.md`, part.markdown)
  save(`${file}.json`, part.claims)
  return { section: name, included: section.included, findings: part.listed }
})

function thePlan(work) {
  const plan = load(join(work, 'plan.json'), 'plan')
  const expected = process.env.PLAN
  if (expected && expected !== plan.digest) throw new Stop(`plan.json is ${plan.digest}, expected ${expected}`)
  return plan
}

function omitted({ name, number, title, reason }) {
  return {
    markdown: `<!-- left out: ${reason} -->\n`,
    claims: { name, number, title, figures: [], headline: [] },
    listed: 0,
  }
}

function written(work, plan, section, { needs, parts = [], write }) {
  const inputs = Object.fromEntries(needs.map((one) => [one, load(join(work, `${one}.json`), one)]))
  const {
    figures,
    headline = [],
    body,
  } = write({ ...inputs, plan, parts: parts.map((one) => claimsOf(work, plan, one)) })
  const findings = plan.findings.filter((one) => one.section === section.name)
  const head = section.letter ? [figureLine(figures), ...findingBlocks(section, findings)] : []
  const markdown = [`## ${section.title}`, ...head, body.trim()].filter(Boolean).join('\n\n')
  const claims = { name: section.name, number: section.number, title: section.title, figures, headline }
  return {
    markdown: `${markdown}\n`,
    claims: section.letter ? { ...claims, counts: section.counts } : claims,
    listed: findings.length,
  }
}

function claimsOf(work, plan, name) {
  const { number } = plan.sections.find((one) => one.name === name)
  return load(join(work, 'sections', `${number}-${name}.json`), `write-${name}`)
}

/** Counts first, then the worst findings, then how many are not listed: the three must add up. */
function findingBlocks({ counts }, findings) {
  const listed = findings.slice(0, ROWS)
  const hidden = SEVERITIES.map((severity) => findings.slice(ROWS).filter((one) => one.severity === severity).length)
  const rows = listed.map((one) => [one.id, one.severity, places(one.where, 3), one.title])
  const line = (values) => SEVERITIES.map((severity, index) => figure(values[index], severity)).join(' · ')
  return [
    `Findings: ${line(SEVERITIES.map((severity) => counts[severity]))}`,
    table(['Id', 'Severity', 'Where', 'What'], rows),
    findings.length > ROWS
      ? `Not listed: ${line(hidden)} (all ${plural(findings.length, 'finding')} are in the plan, \`.review/plan.json\`)`
      : '',
  ]
}
