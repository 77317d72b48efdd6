import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { HOSTILE } from './project.ts'
import { REVIEW, RESEARCH, bytesBelow, readReport, runReview, runWorker, writeTree } from './workers.ts'

const root = mkdtempSync(join(tmpdir(), 'steadfold-hostile-'))
// Not rmSync: the path of the deep folder is longer than a call may name.
afterAll(() => void execFileSync('rm', ['-rf', root]))

function placesFor(name: string): { readonly input: string; readonly out: string } {
  const places = { input: join(root, name, 'in'), out: join(root, name, 'out') }
  writeTree(places.input, {})
  writeTree(places.out, {})
  return places
}

describe('T1 a hostile tree is reviewed and its report passes its own checks', () => {
  it('T1 an empty folder', () => {
    const places = placesFor('empty')
    expect(runReview(places)).toBeUndefined()
    const text = readFileSync(join(places.out, 'REVIEW.md'), 'utf8')
    expect(text).toContain('No score: there was nothing to look at.')
    expect(text).toContain('Section “Tests” was left out: no source file to test.')
  })

  it('T1 names, links, pipes, loops and contents made to break it', () => {
    const places = placesFor('names')
    writeTree(places.input, HOSTILE)
    symlinkSync('..', join(places.input, 'src/loop'))
    symlinkSync('/etc/passwd', join(places.input, 'src/passwd.ts'))
    symlinkSync('nowhere', join(places.input, 'dangling'))
    execFileSync('mkfifo', [join(places.input, 'src/pipe.ts')])
    expect(runReview(places)).toBeUndefined()
    const { left } = readReport(places.out, 'structure')
    expect(left).toMatchObject({ links: 3, special: 1, binary: 2, big: 1, machine: 1, unreadableCount: 0 })
    const text = readFileSync(join(places.out, 'REVIEW.md'), 'utf8')
    expect(text).not.toMatch(/[\u202a-\u202e]|<b>|root:x/)
    expect(text).toContain('`src/percent%2541:7.ts:1`')
    expect(text).toContain('`src/colon:12:1`')
    expect(text).toContain('`src/pipe%7Ctick%60star%2A.ts:1`')
    const marks: readonly { readonly file: string }[] = readReport(places.out, 'todo')['markers']
    expect(marks.map((one) => one.file)).toContain('src/line\nbreak.ts')
  })

  it('T1 folders that are very deep are reported, not followed to a crash', () => {
    const places = placesFor('deep')
    const step = `${'d'.repeat(200)}/`.repeat(12)
    for (const name of ['upper', 'lower']) writeTree(join(places.input, name, step), { 'a.ts': 'export const a = 1\n' })
    renameSync(join(places.input, 'lower'), join(places.input, 'upper', step, 'lower'))
    expect(runReview(places)).toBeUndefined()
    expect(readReport(places.out, 'structure')['left'].unreadableCount).toBeGreaterThan(0)
  })

  it('T2 lines made to be slow are read in one pass', () => {
    const places = placesFor('slow')
    const head = '\n'.repeat(3000)
    const shapes = [
      '(/[',
      '/**/',
      '=>{',
      'import {',
      'a.b',
      '--',
      ': ',
      '"',
      '${`',
      'it.',
      '     ',
      '// TODO(((',
      '{a,b}=',
    ]
    const files = shapes.map((shape, index) => [`s${index}.ts`, head + shape.repeat(100_000 / shape.length)] as const)
    writeTree(places.input, Object.fromEntries(files))
    for (const name of RESEARCH) expect(runWorker([name], places)).toEqual({ exit: 0, stderr: '' })
  }, 120_000)
})

const nobody = process.getuid?.() === 0 ? 65_534 : undefined
const canBeNobody = nobody === undefined || runsAs(nobody)

function runsAs(uid: number): boolean {
  const places = placesFor('probe')
  for (const path of [root, places.input, places.out]) chmodSync(path, 0o777)
  return runWorker(['structure'], { ...places, uid }).exit === 0
}

describe('T3 what cannot be read is counted and named', () => {
  it.skipIf(!canBeNobody)('T3 a file and a folder without permission', () => {
    const places = { ...placesFor('closed'), ...(nobody === undefined ? {} : { uid: nobody }) }
    chmodSync(places.out, 0o777)
    writeTree(places.input, { 'open.ts': 'export const a = 1\n', 'secret.ts': '// FIXME\n', 'shut/in.ts': 'x\n' })
    chmodSync(join(places.input, 'secret.ts'), 0)
    chmodSync(join(places.input, 'shut'), 0)
    expect(runReview(places)).toBeUndefined()
    expect(readReport(places.out, 'structure')['left'].unreadable).toEqual(['secret.ts', 'shut/'])
    expect(readFileSync(join(places.out, 'REVIEW.md'), 'utf8')).toContain('could not be read: `secret.ts`, `shut/`')
    chmodSync(join(places.input, 'shut'), 0o700)
  })

  it('W4 a place that cannot be written is one line on stderr', () => {
    const places = placesFor('taken')
    writeFileSync(join(places.out, '.review'), 'a file stands where the folder should be')
    const { exit, stderr } = runWorker(['structure'], places)
    expect([exit, stderr.trim().split('\n').length]).toEqual([1, 1])
  })
})

describe('W3 a worker that is killed leaves no half report', () => {
  it('W3 a stale temporary file of a dead worker changes nothing', () => {
    const places = placesFor('killed')
    writeTree(places.input, { 'a.ts': '// TODO: x\nexport const a = 1\n' })
    expect(runReview(places)).toBeUndefined()
    const first = bytesBelow(places.out)
    writeTree(places.out, { '.review/todo.json.99999.tmp': '{"half' })
    expect(runReview(places)).toBeUndefined()
    expect(bytesBelow(places.out)).toEqual({ ...first, '.review/todo.json.99999.tmp': '{"half' })
  })
})

/** The example is plain JavaScript without types; these are the parts of it that are used here. */
interface Parts {
  readonly showPath: (path: string) => string
  readonly readPath: (shown: string) => string
  readonly text: (value: string) => string
  readonly table: (columns: readonly string[], rows: readonly (readonly string[])[]) => string
  readonly tablesOf: (lines: readonly string[]) => readonly { readonly rows: readonly (readonly string[])[] }[]
  readonly parseIgnore: (text: string, base: string) => unknown
  readonly isIgnored: (rules: unknown, path: string, isFolder: boolean) => boolean
}
const part = async (name: string): Promise<Parts> => import(join(REVIEW, 'lib', name))

describe('D1 what reaches the report can be read back', () => {
  it('D1 any path comes back from what is shown, on one line, without markup', async () => {
    const { showPath, readPath } = await part('markdown.mjs')
    const path = fc.string({ unit: 'binary', minLength: 1 }).filter((one) => one.isWellFormed())
    fc.assert(
      fc.property(path, (one) => {
        expect(readPath(showPath(one))).toBe(one)
        expect(showPath(one)).not.toMatch(/[\n\r`|<>*\p{Cf}]/u)
      }),
    )
  })

  it('D1 any text stays in its cell', async () => {
    const { table, text } = await part('markdown.mjs')
    const { tablesOf } = await part('report.mjs')
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (one) => {
        const found = tablesOf(
          table(
            ['A', 'B'],
            [
              ['x', text(one)],
              ['y', 'z'],
            ],
          ).split('\n'),
        )
        expect(found.map(({ rows }) => rows.map((row) => row.length))).toEqual([[2, 2, 2, 2]])
      }),
    )
  })
})

describe('T4 .gitignore is read as git reads it', () => {
  const patterns = [
    '*.log',
    '!keep.log',
    '/build',
    'a/b',
    '**/z',
    'q/**',
    'doc/*.txt',
    'x?y',
    '[a-c]1',
    '[!a]2',
    'dir/',
    '#no',
    '\\#yes',
    'sp ace  ',
  ]
  const names = [
    'a.log',
    'keep.log',
    's/a.log',
    'build/f',
    's/build/f',
    'a/b',
    's/a/b',
    'z',
    's/t/z',
    'q/r/s',
    'doc/n.txt',
    'doc/m/n.txt',
    'xay',
    'xaay',
    'b1',
    'd1',
    'b2',
    'a2',
    'dir/f',
    '#no',
    '#yes',
    'sp ace',
  ]

  it('T4 the same files are left out', async () => {
    const { isIgnored, parseIgnore } = await part('ignore.mjs')
    const folder = join(root, 'git')
    mkdirSync(folder)
    execFileSync('git', ['init', '-q'], { cwd: folder })
    writeTree(folder, {
      '.gitignore': `${patterns.join('\n')}\n`,
      ...Object.fromEntries(names.map((name) => [name, 'x'])),
    })
    const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: folder,
      encoding: 'utf8',
    })
    const rules = parseIgnore(`${patterns.join('\n')}\n`, '')
    const above = (name: string): readonly string[] =>
      name
        .split('/')
        .slice(0, -1)
        .map((_, i, all) => all.slice(0, i + 1).join('/'))
    const left = names.filter(
      (name) => !isIgnored(rules, name, false) && !above(name).some((one) => isIgnored(rules, one, true)),
    )
    expect(left.sort()).toEqual(
      list
        .split('\0')
        .filter((name) => name !== '' && name !== '.gitignore')
        .sort(),
    )
  })
})
