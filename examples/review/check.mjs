// Test: looks the draft over before anybody reads it. `node check.mjs form|citations|numbers [REPORT]`
// Exit 1 and one line per fault when something is wrong; otherwise .review/check-NAME.json says what was checked.
import { createHash } from 'node:crypto'
import { isAbsolute, join, resolve } from 'node:path'
import { checkCitations, checkForm, checkNumbers } from './lib/checks.mjs'
import { Stop, load, loadText, main, save } from './lib/step.mjs'

const SHOWN = 50
const CHECKS = {
  form: (text, { plan }) => checkForm(text, plan),
  citations: (text, { input }) => checkCitations(text, input),
  numbers: (text, { plan }) => checkNumbers(text, plan),
}

main(({ input, work }) => {
  const [, , name = '', given] = process.argv
  if (!Object.hasOwn(CHECKS, name)) throw new Stop(`name a check: ${Object.keys(CHECKS).join(', ')}`)
  const path = given === undefined || isAbsolute(given) ? (given ?? join(work, 'report.md')) : resolve(given)
  const text = loadText(path, 'draft')
  const plan = load(join(work, 'plan.json'), 'plan')
  const { checked, faults } = CHECKS[name](text, { input, plan })
  if (faults.length > 0) throw new Stop(listOf(name, faults), 1)
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16)
  const expected = process.env.DRAFT
  if (given === undefined && expected && expected !== digest)
    throw new Stop(`report.md is ${digest}, expected ${expected}`)
  if (given === undefined) save(join(work, `check-${name}.json`), { check: name, checked, digest })
  return { checked }
})

function listOf(name, faults) {
  const rest = faults.length > SHOWN ? [`… and ${faults.length - SHOWN} more`] : []
  return [`${faults.length} faults of ${name}`, ...faults.slice(0, SHOWN), ...rest].join('\n  ')
}
