// The rule of severity: one line per kind of finding. It is printed in the report, so a reader can disagree with it.

export const SEVERITIES = ['high', 'medium', 'low']

/** Points a finding takes from 100; a section never takes more than `SECTION_LIMIT`. */
export const POINTS = { high: 8, medium: 2, low: 0.25 }
export const SECTION_LIMIT = 25

export const RULE = {
  high: 'what is shipped may be broken, unlicensed, or not what was tested',
  medium: 'the next change here costs more than it should, or an install is not repeatable',
  low: 'worth knowing; fix it when you pass by',
}

/** Sections in the order of the report; `letter` begins the ids of their findings. */
export const SECTIONS = [
  { name: 'summary', title: 'Summary' },
  { name: 'structure', title: 'Structure', letter: 'S' },
  { name: 'dependencies', title: 'Dependencies and licences', letter: 'D' },
  { name: 'tests', title: 'Tests', letter: 'T' },
  { name: 'markers', title: 'Left for later', letter: 'M' },
  { name: 'dead-code', title: 'Dead code (hints)', letter: 'X' },
  { name: 'hotspots', title: 'Hotspots' },
  { name: 'limits', title: 'What was not looked at' },
].map((section, index) => ({ ...section, number: String(index + 1).padStart(2, '0') }))

/** Findings of a kind: their section, and what to do about them. */
export const KINDS = {
  'conflict-marker': { section: 'structure', advice: 'finish the merge' },
  'name-collision': { section: 'structure', advice: 'rename one: macOS and Windows can hold only one of them' },
  'long-function': { section: 'structure', advice: 'split it along its own comments or blank lines' },
  'big-file': { section: 'structure', advice: 'split it by what changes together' },
  'heavy-file': { section: 'structure', advice: 'keep it out of the repository, or in a large-file store' },
  'same-content': { section: 'structure', advice: 'keep one and import it' },
  'broken-manifest': { section: 'dependencies', advice: 'repair the JSON' },
  'lock-drift': { section: 'dependencies', advice: 'install again and commit the lock' },
  'undeclared-import': {
    section: 'dependencies',
    advice: 'declare it: today it works only because something else brings it',
  },
  'no-licence': {
    section: 'dependencies',
    advice: 'ask its authors, or replace it: without a licence there is no right to use it',
  },
  copyleft: { section: 'dependencies', advice: 'check that its terms fit yours' },
  'no-lock': { section: 'dependencies', advice: 'commit a lock file' },
  'outside-registry': { section: 'dependencies', advice: 'depend on a published version' },
  'no-integrity': { section: 'dependencies', advice: 'write the lock again with a current client' },
  'loose-range': { section: 'dependencies', advice: 'give it an upper bound' },
  'install-script': { section: 'dependencies', advice: 'read the script, or install with scripts off' },
  'several-versions': { section: 'dependencies', advice: 'dedupe, or raise the dependant that holds the old one' },
  'unused-dependency': { section: 'dependencies', advice: 'remove it, or say where it is used' },
  'no-project-licence': { section: 'dependencies', advice: 'add a licence field and file' },
  'no-tests': { section: 'tests', advice: 'start with the biggest file' },
  'focused-test': { section: 'tests', advice: 'remove it: every other test of the file is switched off' },
  'untested-file': { section: 'tests', advice: 'add a test beside it' },
  'skipped-test': { section: 'tests', advice: 'repair or delete it' },
  marker: { section: 'markers', advice: 'do it, or turn it into an issue' },
  'unimported-file': { section: 'dead-code', advice: 'delete it, or name it where it is started' },
  'unused-export': { section: 'dead-code', advice: 'drop the export, or the code' },
  'commented-code': { section: 'dead-code', advice: 'delete it: history keeps it' },
}

/** 100 less what the findings take; undefined when there was nothing to judge. */
export function scoreOf(findings) {
  let score = 100
  for (const { name } of SECTIONS) {
    const own = findings.filter((one) => one.section === name)
    score -= Math.min(
      SECTION_LIMIT,
      own.reduce((sum, one) => sum + POINTS[one.severity], 0),
    )
  }
  return Math.max(0, Math.round(score))
}

export const countSeverities = (findings) =>
  Object.fromEntries(
    SEVERITIES.map((severity) => [severity, findings.filter((one) => one.severity === severity).length]),
  )
