// The texts of the sections that report on one subject. Each answers { figures, headline, body }: figures are
// [label, value] pairs, headline those the summary repeats, body is finished Markdown below the list of findings.
import { blocks, bytes, cite, code, figures, number, plural, table, text } from './markdown.mjs'

const LISTED = 8
const percent = (part, whole) => (whole === 0 ? '–' : `${Math.round((100 * part) / whole)} %`)

export function structureSection({ structure }) {
  const { totals, kinds, languages, biggest, longest } = structure
  const share = (one) => [code(one.name), number(one.files), number(one.lines), bytes(one.bytes)]
  return {
    figures: pick(totals, ['files', 'lines', 'source files', 'source lines', 'functions']),
    headline: pick(totals, ['source files', 'source lines']),
    body: blocks(
      totals.files === 0 ? 'The tree holds no file to look at.' : '',
      table(
        ['Kind', 'Files:', 'Lines:', 'Size:'],
        kinds.map((one) => [one.name, ...share(one).slice(1)]),
      ),
      languages.length > 1
        ? table(['Language', 'Files:', 'Lines:', 'Size:'], languages.slice(0, LISTED).map(share))
        : '',
      biggest.length > 0 ? 'Biggest source and test files:' : '',
      table(
        ['File', 'Lines:', 'Size:'],
        biggest.slice(0, LISTED).map((one) => [cite({ file: one.file, line: 1 }), number(one.lines), bytes(one.bytes)]),
      ),
      longest.length > 0 ? 'Longest functions of the source (tests left out):' : '',
      table(
        ['Function', 'Where', 'Lines:'],
        longest.slice(0, LISTED).map((one) => [code(one.name), cite(one), number(one.lines)]),
      ),
    ),
  }
}

export function dependenciesSection({ dependencies }) {
  const { totals, manifests, licences, versions } = dependencies
  const rows = manifests.slice(0, LISTED).map((one) => [code(one.file), one.ecosystem, number(one.direct)])
  return {
    figures: pick(totals, [
      'manifests',
      'direct runtime dependencies',
      'direct development dependencies',
      'locked packages',
    ]),
    headline: pick(totals, ['direct runtime dependencies', 'locked packages']),
    body: blocks(
      table(['Manifest', 'Ecosystem', 'Direct:'], rows),
      licences.length > 0 ? 'Licences of the locked packages:' : '',
      table(
        ['Licence', 'Packages:'],
        licences.slice(0, LISTED).map((one) => [text(one.name), number(one.packages)]),
      ),
      versions.length > 0
        ? `${plural(versions.length, 'package')} ${versions.length === 1 ? 'is' : 'are'} locked in more than one version.`
        : '',
    ),
  }
}

const HOW = {
  inside: 'the file holds its own tests',
  beside: 'a test file of the same name',
  imported: 'a test imports it',
  reached: 'only through something a test imports',
  named: 'a test names it in a string',
  none: 'no test leads to it',
}

export function testsSection({ tests }) {
  const { totals, how, folders } = tests
  const known = totals['source files that tests should know']
  const ways = how.filter((one) => one.files > 0)
  const places = folders.slice(0, LISTED)
  return {
    figures: pick(totals, [
      'test files',
      'test cases',
      'source files that tests should know',
      'untested files',
      'untested lines',
    ]),
    headline: pick(totals, ['test cases', 'untested files']),
    body: blocks(
      `${percent(known - totals['untested files'], known)} of the source files are known to a test. Nothing was run: this is a map, not coverage.`,
      table(
        ['How a test knows a file', 'Files:', 'Lines:'],
        ways.map((one) => [HOW[one.how], number(one.files), number(one.lines)]),
      ),
      table(
        ['Folder', 'Files:', 'Known:', 'Share:', 'Untested lines:'],
        places.map((one) => [
          code(one.name),
          number(one.files),
          number(one.tested),
          percent(one.tested, one.files),
          number(one.untestedLines),
        ]),
      ),
    ),
  }
}

export function markersSection({ todo }) {
  const words = todo.words.filter((one) => one.count > 0)
  const owners = new Set(todo.markers.map((one) => one.owner).filter(Boolean)).size
  return {
    figures: pick(todo.totals, ['markers']),
    headline: pick(todo.totals, ['markers']),
    body: blocks(
      table(
        ['Marker', 'Count:'],
        words.map((one) => [one.word, number(one.count)]),
      ),
      words.length === 0 ? 'No comment holds a marker.' : `${plural(owners, 'name')} stand beside them.`,
    ),
  }
}

export function deadCodeSection({ todo }) {
  return {
    figures: pick(todo.totals, ['files nobody imports', 'exports nobody imports', 'blocks of commented-out code']),
    headline: pick(todo.totals, ['files nobody imports', 'exports nobody imports']),
    body: blocks(
      `Imports were followed through ${plural(todo.followed, 'source file')}. An entry point, an example or a file that ` +
        'is named in a string, a script or a configuration counts as used.',
    ),
  }
}

export function limitsSection({ structure, dependencies, todo, tests, plan }) {
  const { left } = structure
  const lines = [
    ...treeLimits(left),
    ...plan.sections.filter((one) => !one.included).map((one) => `Section “${one.title}” was left out: ${one.reason}.`),
    ...[structure, dependencies, todo, tests].flatMap((one) => one.cuts).map(cutLimit),
    plan.sameTree ? '' : 'The tree changed while it was read: the sections may describe different moments.',
    ...dependencyLimits(dependencies),
    todo.followed > 0
      ? `Dead code is looked for in JavaScript, TypeScript and Python only${others(todo.notFollowed)}.`
      : '',
    todo.computed > 0 ? `${plural(todo.computed, 'import')} with a computed name could not be followed.` : '',
    left.unmeasured.length > 0
      ? `Functions were not measured in ${left.unmeasured.map((one) => code(one.name)).join(', ')}.`
      : '',
    'Function lengths come from braces and indentation, not from a parser.',
    'No code was run, no test was run, and no line of logic was judged.',
  ]
  return {
    figures: [],
    headline: [],
    body: blocks(
      lines
        .filter(Boolean)
        .map((line) => `- ${line}`)
        .join('\n'),
    ),
  }
}

const cutLimit = ({ what, kept, of }) => `Only ${number(kept)} of ${number(of)} ${what} became findings.`
const others = (names) => (names.length > 0 ? `, not in ${names.map((name) => code(name)).join(', ')}` : '')

function treeLimits(left) {
  const { limits } = left
  const shown = left.skipped.slice(0, 6).map(code).join(', ') + (left.skippedCount > 6 ? ', …' : '')
  const unread = left.unreadable.slice(0, 5).map(code).join(', ') + (left.unreadableCount > 5 ? ', …' : '')
  return [
    left.skippedCount > 0
      ? `${plural(left.skippedCount, 'folder')} of installed, built or version-control files: ${shown}.`
      : '',
    left.ignored > 0
      ? `${plural(left.ignored, 'file or folder', 'files and folders')} that ${code('.gitignore')} leaves out.`
      : '',
    left.links > 0 ? `${plural(left.links, 'symbolic link')}: never followed.` : '',
    left.special > 0
      ? `${plural(left.special, 'pipe, socket or device', 'pipes, sockets and devices')}: never opened.`
      : '',
    left.unreadableCount > 0
      ? `${plural(left.unreadableCount, 'file or folder', 'files and folders')} that could not be read: ${unread}.`
      : '',
    left.binary > 0 ? `${plural(left.binary, 'binary file')}: counted by size only.` : '',
    left.big > 0 ? `${plural(left.big, 'file')} over ${bytes(limits.fileBytes)}: counted by size only.` : '',
    left.budget > 0
      ? `${plural(left.budget, 'file')} after the first ${bytes(limits.totalBytes)}: counted by size only.`
      : '',
    left.machine > 0 ? `${plural(left.machine, 'generated or minified file')}: counted, not judged.` : '',
    left.cut ? `Everything after the first ${plural(limits.files, 'file')}.` : '',
  ]
}

function dependencyLimits({ manifests, manifestsFound, totals, unusedUnknown }) {
  if (manifests.length === 0) return []
  const unknown = totals['licences unknown']
  const places = unusedUnknown.map((file) => code(file)).join(', ')
  return [
    'No vulnerability database was asked, and no registry: nothing here needs a network.',
    unknown > 0 ? `The licences of ${plural(unknown, 'locked package')} are neither in a lock nor installed.` : '',
    unusedUnknown.length > 0
      ? `Unused dependencies of ${places}: most of the code that would use them was not read.`
      : '',
    manifestsFound > manifests.length
      ? `${plural(manifestsFound - manifests.length, 'manifest')} after the first ${manifests.length}.`
      : '',
  ]
}

const pick = (totals, labels) => labels.map((label) => [label, totals[label]])
export const figureLine = (pairs) => (pairs.length > 0 ? figures(pairs) : '')
