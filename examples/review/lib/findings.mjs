// Turns the four reports into findings. Titles are finished Markdown: every foreign word passes `code` or `text`.
// A finding: { kind, severity, title, where: [{ file, line? }], weight }. The weight orders findings of one severity.
import { groupBy } from './groups.mjs'
import { isSupport } from './languages.mjs'
import { bytes, code, number, plural, text } from './markdown.mjs'

export function findingsOf({ structure, dependencies, todo, tests }) {
  return [
    ...fromStructure(structure),
    ...fromManifests(dependencies),
    ...fromPackages(dependencies),
    ...fromTests(tests),
    ...fromMarkers(todo),
    ...fromDeadCode(todo),
  ]
}

/** `rank` is 'kind severity'. */
function finding(rank, title, where, weight = 0) {
  const [kind, severity] = rank.split(' ')
  return { kind, severity, title, where, weight }
}
const at = ({ file, line }) => [{ file, line }]

function fromStructure({ conflicts, collisions, long, big, heavy, copies }) {
  return [
    ...conflicts.map((one) => finding('conflict-marker high', 'a merge was left unfinished here', at(one))),
    ...collisions.map((names) =>
      finding(
        'name-collision medium',
        'names differ only in case or Unicode form',
        names.map((file) => ({ file })),
        names.length,
      ),
    ),
    ...long.map((one) =>
      finding(
        `long-function ${one.lines >= 120 ? 'medium' : 'low'}`,
        `${code(one.name)} is ${plural(one.lines, 'line')} long`,
        at(one),
        one.lines,
      ),
    ),
    ...big.map((one) =>
      finding(
        `big-file ${one.lines >= 1000 ? 'medium' : 'low'}`,
        `a source file of ${plural(one.lines, 'line')}`,
        [{ file: one.file, line: 1 }],
        one.lines,
      ),
    ),
    ...heavy.map((one) =>
      finding(
        `heavy-file ${one.bytes >= 5 * 2 ** 20 ? 'medium' : 'low'}`,
        `${bytes(one.bytes)} in one file`,
        [{ file: one.file }],
        one.bytes / 1000,
      ),
    ),
    ...copies.map((one) =>
      finding(
        'same-content low',
        `${number(one.files.length)} source files of ${plural(one.lines, 'line')} are the same bytes`,
        one.files.map((file) => ({ file, line: 1 })),
        one.lines,
      ),
    ),
  ]
}

/** Development and optional packages, and those of examples and benchmarks, are not shipped. */
const isSide = (one) => one.dev || one.optional || isSupport(one.file)
const runtime = (one, severity, otherwise) => (isSide(one) ? otherwise : severity)
const called = ({ name, version }) => code(version ? `${name}@${version}` : name)

function fromManifests({ broken, drift, undeclared, noLock, loose, unused, noProjectLicence }) {
  return [
    ...broken.map((one) => finding('broken-manifest high', 'not valid JSON', [{ file: one.file }])),
    ...drift.map((one) =>
      finding('lock-drift high', `${code(one.name)} is declared as ${text(one.range)}, but ${text(one.why)}`, at(one)),
    ),
    ...undeclared.map((one) =>
      finding(
        `undeclared-import ${one.shipped ? 'high' : 'medium'}`,
        `${code(one.name)} is imported in ${plural(one.files, 'file')} and declared in no package.json`,
        at(one),
        one.files,
      ),
    ),
    ...noLock.map((one) =>
      finding(
        'no-lock medium',
        `${plural(one.count, 'dependency', 'dependencies')} and no lock file`,
        at(one),
        one.count,
      ),
    ),
    ...loose.map((one) =>
      finding(
        `loose-range ${runtime(one, 'medium', 'low')}`,
        `${code(one.name)} accepts any later version (${text(one.range || 'no version given')})`,
        at(one),
      ),
    ),
    ...unused.map((one) =>
      finding('unused-dependency low', `nothing that was read imports or names ${code(one.name)}`, at(one)),
    ),
    ...noProjectLicence.map((one) =>
      finding('no-project-licence low', 'the package states no licence', [{ file: one.file, line: 1 }]),
    ),
  ]
}

function fromPackages({ unlicensed, copyleft, outside, noIntegrity, scripts, versions }) {
  return [
    ...unlicensed.map((one) =>
      finding(`no-licence ${runtime(one, 'high', 'low')}`, `${called(one)} comes without a licence`, at(one)),
    ),
    ...copyleft.map((one) =>
      finding(`copyleft ${runtime(one, 'high', 'low')}`, `${called(one)} is under ${text(one.licence)}`, at(one)),
    ),
    ...outside.map((one) =>
      finding(
        `outside-registry ${runtime(one, 'medium', 'low')}`,
        `${code(one.name)} comes from ${text(one.from, 60)}`,
        at(one),
      ),
    ),
    ...grouped('no-integrity', 'medium', noIntegrity, 'locked without a hash'),
    ...grouped(
      'install-script',
      'medium',
      scripts.filter((one) => !isSide(one)),
      'with a script that runs at install',
    ),
    ...grouped('install-script', 'low', scripts.filter(isSide), 'with a script that runs at install (not shipped)'),
    ...grouped(
      'several-versions',
      'low',
      versions.filter((one) => one.majors > 1),
      'locked in several major versions',
    ),
  ]
}

/** One finding per lock file for what may concern dozens of packages. */
function grouped(kind, severity, packages, what) {
  const files = [...new Set(packages.map((one) => one.file))]
  return files.map((file) => {
    const own = packages.filter((one) => one.file === file)
    const names = own
      .slice(0, 4)
      .map((one) => code(one.name) + (one.versions ? ` (${text(one.versions.join(', '), 60)})` : ''))
      .join(', ')
    const title = `${plural(own.length, 'package')} ${what}: ${names}${own.length > 4 ? ', …' : ''}`
    return finding(
      `${kind} ${severity}`,
      title,
      own.map(({ line }) => ({ file, line })),
      own.length,
    )
  })
}

function fromTests({ totals, untested, focused, skipped }) {
  const known = totals['source files that tests should know']
  const bare = known > 0 && totals['test files'] === 0
  const big = bare ? [] : untested.filter((one) => one.lines >= 50)
  return [
    ...(bare
      ? [
          finding(
            'no-tests high',
            `${plural(known, 'source file')} and no test`,
            untested.slice(0, 3).map(({ file, line }) => ({ file, line })),
            known,
          ),
        ]
      : []),
    ...focused.map((one) => finding('focused-test high', 'a focused test was left in', at(one))),
    ...big.map((one) =>
      finding(
        `untested-file ${one.lines >= 200 ? 'medium' : 'low'}`,
        `${plural(one.lines, 'line')} that no test leads to`,
        at(one),
        one.lines,
      ),
    ),
    ...byFile(skipped).map((own) =>
      finding(
        'skipped-test low',
        `${plural(own.length, 'skipped test')}`,
        own.map(({ file, line }) => ({ file, line })),
        own.length,
      ),
    ),
  ]
}

function fromMarkers({ markers }) {
  return byFile(markers).map((own) => {
    const [worst] = [...own].sort((a, b) => rank(a) - rank(b))
    const first = worst.note ? `${worst.word} “${text(worst.note, 90)}”` : worst.word
    const title = own.length === 1 ? first : `${plural(own.length, 'marker')}, the first: ${first}`
    const ordered = [worst, ...own.filter((one) => one !== worst)]
    return finding(
      `marker ${worst.word === 'TODO' ? 'low' : 'medium'}`,
      title,
      ordered.map(({ file, line }) => ({ file, line })),
      own.length,
    )
  })
}

const rank = ({ word }) => ['FIXME', 'BUG', 'XXX', 'HACK', 'TODO'].indexOf(word)

function fromDeadCode({ orphans, exports, blocks }) {
  return [
    ...orphans.map((one) =>
      finding(
        'unimported-file low',
        `nothing imports, starts or names this file (${plural(one.lines, 'line')})`,
        at(one),
        one.lines,
      ),
    ),
    ...byFile(exports).map((own) => {
      const names = own.slice(0, 5).map((one) => code(one.name) + (one.inside ? '' : ' (not used inside either)'))
      const title = `${plural(own.length, 'export')} nobody imports: ${names.join(', ')}${own.length > 5 ? ', …' : ''}`
      return finding(
        'unused-export low',
        title,
        own.map(({ file, line }) => ({ file, line })),
        own.length,
      )
    }),
    ...byFile(blocks).map((own) => {
      const lines = own.reduce((sum, one) => sum + one.lines, 0)
      return finding(
        'commented-code low',
        `${plural(lines, 'line')} of code in comments`,
        own.map(({ file, line }) => ({ file, line })),
        lines,
      )
    }),
  ]
}

const byFile = (list) => groupBy(list, (one) => one.file)
