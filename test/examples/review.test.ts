import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { remove } from '../remove.ts'
import { PROJECT } from './project.ts'
import { ALL, CHECKS, REVIEW, bytesBelow, readReport, runReview, runWorker, writeTree } from './workers.ts'

const root = mkdtempSync(join(tmpdir(), 'steadfold-review-'))
const input = join(root, 'shop')
const out = join(root, 'out')
const places = { input, out }
const reviewed = (): string => readFileSync(join(out, 'REVIEW.md'), 'utf8')

beforeAll(() => {
  writeTree(input, PROJECT)
  writeTree(out, {})
  const fault = runReview(places)
  if (fault !== undefined) throw new Error(fault)
})
afterAll(() => remove(root))

describe('E the workflow file and its workers fit', () => {
  interface Step {
    readonly run: string
    readonly artifacts?: readonly string[]
    readonly reads?: Readonly<Record<string, string>>
  }
  const file = readFileSync(join(REVIEW, '../review.workflow.yaml'), 'utf8')
  const { states }: { states: Readonly<Record<string, { steps?: Readonly<Record<string, Step>> }>> } = parse(file)
  const steps = Object.values(states).flatMap((state) => Object.entries(state.steps ?? {}))

  it('E1 it runs every worker once, as these tests do', () => {
    const runs = steps.map(([, step]) => step.run)
    const expected = ALL.map(([name, ...args]) =>
      [`node "$STEADFOLD_WORKFLOW_DIR/review/${name}.mjs"`, ...args].join(' '),
    )
    expect(runs.toSorted()).toEqual(expected.toSorted())
  })

  it('E2 every artifact is there when its step has run', () => {
    for (const path of steps.flatMap(([, step]) => step.artifacts ?? []))
      expect(existsSync(join(out, path)), path).toBe(true)
  })

  it('E3 every output that a step reads is one that its worker hands on', () => {
    const wanted = new Set(steps.flatMap(([, step]) => Object.values(step.reads ?? {})))
    expect(wanted.size).toBeGreaterThan(0)
    for (const output of wanted) {
      const [name = '', key = ''] = output.split('.')
      const outputs = join(root, `outputs-${name}`)
      expect(runWorker([name], { ...places, env: { STEADFOLD_OUTPUT: outputs } }).exit).toBe(0)
      expect(readFileSync(outputs, 'utf8')).toMatch(new RegExp(`^${key}=`, 'm'))
    }
  })
})

describe('W0 research finds what is there and nothing else', () => {
  it('W0 structure: sizes, the long function and the unfinished merge', () => {
    const { totals, long, conflicts, left, languages } = readReport(out, 'structure')
    expect(totals).toMatchObject({ files: 14, 'source files': 8, functions: 4 })
    expect(long).toEqual([{ file: 'src/cart.ts', name: 'total', line: 11, lines: 133 }])
    expect(conflicts).toEqual([{ file: 'src/merge.ts', line: 2 }])
    expect(left).toMatchObject({ ignored: 2, skipped: ['node_modules/'], cut: false })
    expect(languages.map((one: { name: string }) => one.name)).toEqual(['TypeScript', 'Python', 'JavaScript'])
  })

  it('W0 dependencies: drift, licences, scripts, what is imported and what is declared', () => {
    const report = readReport(out, 'dependencies')
    const names = (key: string): string[] => report[key].map((one: { name: string }) => one.name)
    expect(report['totals']).toMatchObject({
      'direct runtime dependencies': 4,
      'locked packages': 6,
      'licences unknown': 0,
    })
    expect(report['drift']).toMatchObject([
      { name: 'drifted', file: 'package.json', line: 11, why: 'the lock has it for ^1.0.0' },
    ])
    expect(report['undeclared']).toMatchObject([
      { name: 'not-declared', file: 'src/cart.ts', line: 4, shipped: true },
      { name: 'x-big', file: 'src/cart.test.ts', line: 2, shipped: false },
    ])
    expect(names('unlicensed')).toEqual(['ghost'])
    expect(names('copyleft')).toEqual(['anything'])
    expect(names('scripts')).toEqual(['express'])
    expect(names('loose')).toEqual(['anything'])
    expect(report['versions']).toMatchObject([{ name: 'express', versions: ['1.0.0', '3.0.0'], majors: 2 }])
    expect(report['unusedUnknown']).toEqual(['package.json'])
  })

  it('W0 todo: marks in comments only, dead code by following imports', () => {
    const { markers, orphans, exports, blocks } = readReport(out, 'todo')
    expect(markers).toEqual([
      { file: 'src/cart.ts', line: 6, word: 'FIXME', note: 'rounding is wrong for yen', owner: 'ann' },
      { file: 'src/cart.ts', line: 10, word: 'TODO', note: 'remove when v2 is out' },
      { file: 'tools/clean.py', line: 6, word: 'HACK', note: 'until the API is there' },
    ])
    expect(orphans.map((one: { file: string }) => one.file)).toEqual(['src/big.ts', 'src/old.ts'])
    expect(exports).toEqual([
      { file: 'src/cart.ts', name: 'unusedHere', line: 145, inside: false },
      { file: 'src/merge.ts', name: 'a', line: 1, inside: false },
    ])
    expect(blocks).toEqual([{ file: 'src/old.ts', line: 4, lines: 5 }])
  })

  it('W0 tests: how each file is known, focused and skipped tests', () => {
    const { how, untested, focused, skipped, totals } = readReport(out, 'tests')
    const known = Object.fromEntries(how.map((one: { how: string; files: number }) => [one.how, one.files]))
    expect(known).toEqual({ inside: 0, beside: 1, imported: 0, reached: 1, named: 0, none: 3 })
    expect(untested.map((one: { file: string }) => one.file)).toEqual(['src/big.ts', 'src/old.ts', 'src/merge.ts'])
    expect(focused).toEqual([{ kind: 'only', file: 'test/shape.test.ts', line: 1 }])
    expect(skipped).toEqual([{ kind: 'skip', file: 'src/cart.test.ts', line: 4 }])
    expect(totals['test cases']).toBe(3)
  })
})

describe('W2 the same tree gives the same bytes', () => {
  it('W2 a second run, and a copy of the tree elsewhere, change nothing', () => {
    const first = bytesBelow(out)
    expect(runReview(places)).toBeUndefined()
    expect(bytesBelow(out)).toEqual(first)
    const copy = { input: join(root, 'elsewhere/shop'), out: join(root, 'elsewhere/out') }
    cpSync(input, copy.input, { recursive: true })
    writeTree(copy.out, {})
    expect(runReview(copy)).toBeUndefined()
    expect(bytesBelow(copy.out)).toEqual(first)
  })

  it('W1 a review of the folder it writes to does not see itself', () => {
    const self = { input: join(root, 'self'), out: join(root, 'self') }
    cpSync(input, self.input, { recursive: true })
    expect(runReview(self)).toBeUndefined()
    const first = bytesBelow(self.out)
    expect(runReview(self)).toBeUndefined()
    expect(bytesBelow(self.out)).toEqual(first)
    expect(readReport(self.out, 'structure')['digest']).toBe(readReport(out, 'structure')['digest'])
  })

  it('W1 the tree under review is not touched', () => {
    expect(Object.keys(bytesBelow(input)).sort()).toEqual(Object.keys(PROJECT).sort())
  })
})

describe('C a report that was tampered with does not pass', () => {
  const cases: readonly (readonly [check: string, what: string, fault: RegExp, change: (text: string) => string])[] = [
    ['form', 'a section is missing', /“Tests” is missing/, (text) => text.replace('## Tests', 'Tests')],
    ['form', 'a section stands twice', /stands twice/, (text) => `${text}\n## Tests\n`],
    [
      'form',
      'sections change places',
      /order of the plan/,
      (text) =>
        text.replace('## Tests', '## X').replace('## Left for later', '## Tests').replace('## X', '## Left for later'),
    ],
    ['form', 'a cell is missing', /cells where the head has/, (text) => text.replace(/^(\| T1 \| high) \|/m, '$1')],
    [
      'form',
      'a table has no rule',
      /no rule below its head/,
      (text) => text.replace(/^\| --- \| --- \| --- \| --- \|\n/m, ''),
    ],
    ['form', 'a value was never there', /“undefined”/, (text) => text.replace('Score ', 'Score undefined ')],
    [
      'citations',
      'a file does not exist',
      /"src\/gone\.ts" is no file/,
      (text) => text.replace('`src/cart.ts:', '`src/gone.ts:'),
    ],
    [
      'citations',
      'a line is past the end',
      /"src\/cart\.ts" has \d+ lines, not 9999/,
      (text) => text.replace(/`src\/cart\.ts:\d+`/, '`src/cart.ts:9999`'),
    ],
    ['citations', 'a line is zero', /not 0$/m, (text) => text.replace(/`src\/cart\.ts:\d+`/, '`src/cart.ts:0`')],
    [
      'citations',
      'a path leaves the tree',
      /is no file of the tree/,
      (text) => text.replace(/`src\/cart\.ts:\d+`/, '`../out/REVIEW.md:1`'),
    ],
    ['citations', 'a path is a folder', /"src" is no file/, (text) => text.replace(/`src\/cart\.ts:\d+`/, '`src:1`')],
    ['numbers', 'a finding is deleted', /announced, \d+ listed/, (text) => text.replace(/^\| T1 \|.*\n/m, '')],
    [
      'numbers',
      'a finding gets another severity',
      /announced|not sorted/,
      (text) => text.replace('| T1 | high', '| T1 | low'),
    ],
    [
      'numbers',
      'a section counts wrong',
      /announced/,
      (text) => text.replace(/^Findings: \*\*\d+\*\* high/m, 'Findings: **77** high'),
    ],
    [
      'numbers',
      'the summary counts wrong',
      /Summary: 66 high/,
      (text) => text.replace(/^(\| Structure \|) \d+/m, '$1 66'),
    ],
    [
      'numbers',
      'the summary adds up wrong',
      /Summary: 55 high in all/,
      (text) => text.replace(/^(\| All \|) \d+/m, '$1 55'),
    ],
    [
      'numbers',
      'a figure of the summary is not the one of its section',
      /Summary: 9999 markers/,
      (text) => text.replace(/\*\*\d+\*\* markers/, '**9999** markers'),
    ],
    [
      'numbers',
      'the score is not what the findings give',
      /the score is 100/,
      (text) => text.replace(/^Score \d+/m, 'Score 100'),
    ],
    [
      'numbers',
      'the title counts wrong',
      /the title says 44 high/,
      (text) => text.replace(/of 100: \d+ high/, 'of 100: 44 high'),
    ],
  ]

  it.each(cases)('C %s fails when %s', (check, _what, fault, change) => {
    const draft = readFileSync(join(out, '.review/report.md'), 'utf8')
    const doctored = join(root, 'doctored.md')
    writeFileSync(doctored, change(draft))
    expect(readFileSync(doctored, 'utf8')).not.toBe(draft)
    const { exit, stderr } = runWorker(['check', check, doctored], places)
    expect(stderr).toMatch(fault)
    expect(exit).toBe(1)
  })

  it('C2 a citation through a link fails', () => {
    symlinkSync('cart.ts', join(input, 'src/link.ts'))
    const doctored = join(root, 'linked.md')
    writeFileSync(doctored, reviewed().replace('`src/cart.ts:', '`src/link.ts:'))
    expect(runWorker(['check', 'citations', doctored], places)).toMatchObject({ exit: 1 })
    rmSync(join(input, 'src/link.ts'))
  })

  it('C a draft that changed after it was checked is not published', () => {
    const draft = join(out, '.review/report.md')
    const text = readFileSync(draft, 'utf8')
    writeFileSync(draft, `${text}more\n`)
    const { exit, stderr } = runWorker(['document'], places)
    expect(exit).toBe(1)
    expect(stderr).toMatch(/report\.md changed after/)
    writeFileSync(draft, text)
  })
})

describe('W4 bad input ends with one line and no 2', () => {
  it.each([
    ['a folder that is not there', ['structure'], { REVIEW_INPUT: '/nowhere/at/all' }, /not a folder/],
    ['a relative folder', ['structure'], { REVIEW_INPUT: 'src' }, /must be an absolute folder/],
    ['a pace that is no number', ['structure'], { REVIEW_PACE_MS: 'soon' }, /REVIEW_PACE_MS/],
    ['an unknown section', ['section', '__proto__'], {}, /name a section: structure/],
    ['an unknown check', ['check', 'spelling'], {}, /name a check: form/],
    ['a report of another tree', ['plan'], { TREE_TODO: 'feed' }, /todo\.json is of tree/],
    ['a plan of another run', ['section', 'tests'], { PLAN: 'feed' }, /plan\.json is/],
  ] as const)('W4 %s', (_what, worker, env, reason) => {
    const { exit, stderr } = runWorker(worker, { ...places, env: { ...env } })
    expect(exit).toBe(64)
    expect(stderr).toMatch(reason)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  it('W4 a step whose forerunner is missing names it', () => {
    const empty = { input, out: join(root, 'nothing-yet') }
    writeTree(empty.out, {})
    for (const worker of ALL.slice(4)) {
      const { exit, stderr } = runWorker(worker, empty)
      expect([worker, exit]).toEqual([worker, 64])
      expect(stderr).toMatch(/run step [a-z-]+ first/)
    }
  })
})

describe('W5 outputs are in the grammar of $GITHUB_OUTPUT', () => {
  it('W5 document hands on its figures, and a summary of two lines', () => {
    const file = join(root, 'outputs')
    writeFileSync(file, '')
    expect(runWorker(['document'], { ...places, env: { STEADFOLD_OUTPUT: file } })).toEqual({ exit: 0, stderr: '' })
    const text = readFileSync(file, 'utf8')
    expect(text).toMatch(/^findings=\d+$/m)
    expect(text).toMatch(/^score=\d+$/m)
    expect(text).toMatch(/^summary<<(EOF_\w+)\nshop: \d+ of 100\n[^\n]+\n\1\n$/m)
  })

  it('W5 every check says how much it looked at', () => {
    for (const check of CHECKS) expect(readReport(out, `check-${check}`)['checked']).toBeGreaterThan(10)
    expect(reviewed()).toMatch(/^Checked before it was published: \d+ sections and tables, \d+ places/m)
  })
})
