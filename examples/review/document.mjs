// Document: publishes the checked draft as REVIEW.md and hands on its figures.
// A draft that is not the one which was checked is refused, and so is a REVIEW.md there that no review has left.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { number } from './lib/markdown.mjs'
import { Stop, load, loadText, main, save } from './lib/step.mjs'

const CHECKS = ['form', 'citations', 'numbers']
/** Ends every report; what ends otherwise was written by somebody else. */
const END = 'The same tree gives the same report, byte for byte.\n'

main(({ out, work }) => {
  const plan = load(join(work, 'plan.json'), 'plan')
  const draft = loadText(join(work, 'report.md'), 'draft')
  const digest = createHash('sha256').update(draft).digest('hex').slice(0, 16)
  const checks = CHECKS.map((name) => load(join(work, `check-${name}.json`), `check-${name}`))
  const stale = checks.find((one) => one.digest !== digest)
  if (stale) throw new Stop(`report.md changed after step check-${stale.check} looked at it`, 1)
  const [form, citations, numbers] = checks.map((one) => number(one.checked))
  const foot = `Checked before it was published: ${form} sections and tables, ${citations} places in files, ${numbers} numbers.`
  const report = join(out, 'REVIEW.md')
  if (existsSync(report) && !readFileSync(report, 'utf8').endsWith(END))
    throw new Stop(`there is a REVIEW.md that no review has left: move it away, or set REVIEW_OUT to another folder`, 1)
  save(report, `${draft}\n---\n\n${foot}\n${END}`)
  return outputs(plan)
})

function outputs({ score, counts, findings, title }) {
  return {
    report: 'REVIEW.md',
    findings: findings.length,
    high: counts.high,
    medium: counts.medium,
    low: counts.low,
    score: score ?? 'none',
    summary: `${title}: ${score ?? 'no'} ${score === null ? 'score' : 'of 100'}\n${counts.high} high, ${counts.medium} medium, ${counts.low} low`,
  }
}
