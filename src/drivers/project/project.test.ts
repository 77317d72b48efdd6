import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { ProjectFolder } from './files.ts'
import { fixedPart, toRegExp } from './pattern.ts'
import { parseWorkflow, readWorkflowFile } from './workflow-file.ts'

const dir = mkdtempSync(path.join(tmpdir(), 'steadfold-project-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))
const files = ['a.ts', 'src/b.ts', 'src/deep/c.ts', 'src/d.md', 'node_modules/x/i.ts', '.git/config', '.hidden/e.ts']
for (const file of files) {
  mkdirSync(path.dirname(path.join(dir, file)), { recursive: true })
  writeFileSync(path.join(dir, file), file)
}
symlinkSync('/etc', path.join(dir, 'src', 'link'))
const project = new ProjectFolder(dir)
const names = async (...patterns: string[]) => Object.keys(await project.hashes(patterns))

describe('patterns', () => {
  test.each([
    ['*.ts', ['a.ts'], ['src/b.ts', 'a.tsx']],
    ['src/**/*.ts', ['src/b.ts', 'src/deep/c.ts'], ['a.ts', 'src/d.md']],
    ['**', ['a', 'a/b'], []],
    ['a?c', ['abc'], ['ac', 'a/c']],
    ['[ab].ts', ['a.ts'], ['c.ts']],
    ['[!ab].ts', ['c.ts'], ['a.ts']],
    ['a[!b]c', ['axc'], ['a/c']],
    ['[z-a].[b-d]', ['[z-a].c'], ['z.c', '[z-a].a']],
    ['{a,b}.{ts,js}', ['a.ts', 'b.js'], ['c.ts']],
    ['{src/**,*.md}', ['src/b.ts', 'src/deep/c.ts', 'd.md'], ['a.ts', 'doc/d.md']],
    ['a+(b).$^', ['a+(b).$^'], ['aab.']],
  ])('%s', (pattern, yes, no) => {
    for (const name of yes) expect(toRegExp(pattern).test(name), name).toBe(true)
    for (const name of no) expect(toRegExp(pattern).test(name), name).toBe(false)
  })

  test('the part before the first pattern is where to look', () => {
    expect(['src/**/*.ts', '*.ts', 'a/b'].map(fixedPart)).toEqual(['src', '', 'a/b'])
  })
})

describe('files', () => {
  test('H1 H2 H3 paths are relative and sorted; what nobody means is passed over, links are not followed', async () => {
    expect(await names('**/*.ts')).toEqual(['.hidden/e.ts', 'a.ts', 'src/b.ts', 'src/deep/c.ts'])
    expect(await names('node_modules/**/*.ts')).toEqual(['node_modules/x/i.ts'])
    expect(await names('src')).toEqual(['src/b.ts', 'src/d.md', 'src/deep/c.ts'])
    expect(await names('./src/../a.ts')).toEqual(['a.ts'])
  })

  test('H4 a file or a folder that is called like a pattern is meant, too', async () => {
    mkdirSync(path.join(dir, 'app', '[id]', 'deep'), { recursive: true })
    for (const file of ['[id]/page.tsx', '[id]/deep/{x}', 'i']) writeFileSync(path.join(dir, 'app', file), file)
    expect(await names('app/[id]/page.tsx')).toEqual(['app/[id]/page.tsx'])
    expect(await names('app/[id]')).toEqual(['app/[id]/deep/{x}', 'app/[id]/page.tsx', 'app/i'])
    expect(await names('app/*/deep/{x}')).toEqual([])
    expect(await project.artifacts(['app/[id]/deep/{x}'])).toMatchObject({ missing: [] })
  })

  test('the hash is that of the content, and follows it', async () => {
    writeFileSync(path.join(dir, 'h'), 'hello')
    expect(await project.hashes(['h'])).toEqual({
      h: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
    })
    writeFileSync(path.join(dir, 'h'), 'other')
    expect((await project.hashes(['h']))['h']).not.toContain('2cf24')
  })

  test('a plain path without a file counts as missing; a pattern without one as nothing', async () => {
    expect(await project.hashes(['none', 'none/*'])).toEqual({ none: null })
    expect(await project.artifacts(['none', 'none/*', 'a.ts'])).toMatchObject({
      found: [{ path: 'a.ts', bytes: 4 }],
      missing: ['none', 'none/*'],
    })
  })

  test.each(['/etc/passwd', '../x', 'a/../../x', '..'])('%s is refused', async (pattern) => {
    await expect(project.hashes([pattern])).rejects.toMatchObject({ code: 'WORKFLOW_INVALID' })
  })
})

describe('Y1 workflow files', () => {
  const problem = (text: string) => {
    try {
      return parseWorkflow(text, 'w.yaml').value
    } catch (error) {
      return error instanceof Error ? error.message : error
    }
  }

  test('tell where a member is', () => {
    const { locate } = parseWorkflow(
      'name: x\nstates:\n  a:\n    steps:\n      one:\n        needs: [p, q]\n',
      'w.yaml',
    )
    expect([
      locate(['states', 'a', 'steps', 'one', 'needs', 1]),
      locate(['states', 'a', 'nothing']),
      locate([]),
    ]).toEqual(['w.yaml:6:20', 'w.yaml:3:3', 'w.yaml:1:1'])
  })

  test.each([
    ['a member twice', 'a: 1\na: 2\n', 'w.yaml:2:1'],
    ['a broken line', 'a: [1\n', 'w.yaml:2:1'],
    ['a second document', 'a: 1\n---\na: 2\n', 'w.yaml:2:1: a second document'],
    ['an alias of nothing', 'a: 1\nb: *none\n', 'w.yaml:2:4: no anchor &none'],
    ['an unknown tag', 'a: !!js/function x\n', 'w.yaml:1:4'],
    [
      'aliases that grow without bound',
      `a: &a [x,x]\n${'bcdefghijklm'
        .split('')
        .map(
          (name, at, all) =>
            `${name}: &${name} [${Array(9)
              .fill(`*${at === 0 ? 'a' : all[at - 1]}`)
              .join()}]`,
        )
        .join('\n')}\n`,
      'w.yaml',
    ],
    ['depth', `a: ${'['.repeat(10_000)}${']'.repeat(10_000)}`, 'w.yaml'],
    ['depth that it does not come to the end of', `a: ${'['.repeat(10_000)}`, 'nested too deeply'],
  ])('%s is refused with its place', (_, text, place) => {
    expect(problem(text)).toContain(place)
  })
})

test('Y1 what is merged stands behind what is there, and what is no mapping is refused', () => {
  const text = 'a: &base { run: x, timeout: 5m }\nb:\n  <<: *base\n  run: y\nc: { <<: [{ run: z }, *base] }\n'
  const { value, locate } = parseWorkflow(text, 'w.yaml')
  const timeout = '5m'
  expect(value).toEqual({ a: { run: 'x', timeout }, b: { run: 'y', timeout }, c: { run: 'z', timeout } })
  expect([locate(['b', 'timeout']), locate(['b', 'run'])]).toEqual(['w.yaml:2:1', 'w.yaml:4:3'])
  expect(() => parseWorkflow('a:\n  <<: 3\n', 'w.yaml')).toThrow('w.yaml: a << merges what is no mapping')
  expect(() => parseWorkflow('a: &base { <<: *base }\n', 'w.yaml')).toThrow('nested too deeply')
  expect(JSON.stringify(parseWorkflow('a: { <<: { __proto__: { b: 1 } } }', 'w.yaml').value)).toBe(
    '{"a":{"__proto__":{"b":1}}}',
  )
})

test('Y1 an anchor may stand for as many places as a workflow has', () => {
  const steps = Array.from({ length: 1000 }, (_, at) => `s${at}: *env`).join('\n')
  expect(parseWorkflow(`env: &env { A: b }\n${steps}\n`, 'w.yaml').value).toMatchObject({ s999: { A: 'b' } })
})

describe('Y2 modules', () => {
  const module = async (name: string, text: string) => {
    writeFileSync(path.join(dir, name), text)
    return readWorkflowFile(path.join(dir, name))
  }

  test('give their default export as JSON would hold it', async () => {
    const text = 'const states = { a: { next: undefined } }\nexport default { name: "made", states }'
    expect(await module('w.mjs', text)).toMatchObject({ value: { name: 'made', states: { a: {} } }, folder: dir })
    expect(await module('w.cjs', 'module.exports = { states: { b: {} } }')).toMatchObject({
      value: { states: { b: {} } },
    })
  })

  test('are refused without one, or when they do not load', async () => {
    await expect(module('none.mjs', 'export const a = 1')).rejects.toMatchObject({ code: 'WORKFLOW_INVALID' })
    await expect(module('text.mjs', 'export default "a"')).rejects.toMatchObject({ code: 'WORKFLOW_INVALID' })
    await expect(module('bad.mjs', 'export default {')).rejects.toMatchObject({ code: 'WORKFLOW_INVALID' })
    await expect(readWorkflowFile(path.join(dir, 'absent.mjs'))).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
  })

  test('JSON is read as YAML is, with its places', () => {
    const file = parseWorkflow('{\n  "states": { "a": {} }\n}', 'w.json')
    expect(file.value).toEqual({ states: { a: {} } })
    expect(file.locate(['states', 'a'])).toBe('w.json:2:15')
    expect(() => parseWorkflow('{"a": 1, "a": 2}', 'w.json')).toThrow('w.json:1:10')
  })
})
