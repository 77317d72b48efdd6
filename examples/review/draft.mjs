// Implement, last wave: puts the sections together as .review/report.md, the draft that is tested.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { number, text } from './lib/markdown.mjs'
import { load, loadText, main, save } from './lib/step.mjs'

main(({ work }) => {
  const plan = load(join(work, 'plan.json'), 'plan')
  const parts = plan.sections
    .filter((one) => one.included)
    .map((one) => loadText(join(work, 'sections', `${one.number}-${one.name}.md`), `write-${one.name}`).trim())
  const draft = `${[`# Review of ${text(plan.title)}`, lead(plan), ...parts].join('\n\n')}\n`
  save(join(work, 'report.md'), draft)
  return { sections: parts.length, digest: createHash('sha256').update(draft).digest('hex').slice(0, 16) }
})

function lead({ score, counts, tree }) {
  const found = `${number(counts.high)} high, ${number(counts.medium)} medium, ${number(counts.low)} low`
  return score === null
    ? `No score: there was nothing to look at. Tree ${tree}.`
    : `Score ${score} of 100: ${found}. Tree ${tree}.`
}
