import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { transformSync } from 'esbuild'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { remove } from '../remove.ts'
import { type Block, runnableBlocks } from './blocks.ts'
import { linkNodeTypes, newProject, run, typecheck } from './project.ts'

const root = join(import.meta.dirname, '..', '..')
const below = (folder: string) =>
  (readdirSync(join(root, folder), { recursive: true }) as string[]).map((f) => `${folder}/${f}`)
const pages = ['README.md', ...below('docs'), ...below('examples')].filter((path) => path.endsWith('.md'))

const blocksOf = (page: string) => runnableBlocks(page, readFileSync(join(root, page), 'utf8'))

test('the README has blocks that run', () => {
  expect(blocksOf('README.md').length).toBeGreaterThan(0)
})

for (const page of pages) {
  const blocks = blocksOf(page)
  if (blocks.length === 0) continue
  describe(`${page} does what it prints`, () => {
    const dir = newProject(inject('project'))
    linkNodeTypes(dir)
    afterAll(() => {
      remove(dir)
    })
    test.each(blocks)(`the $language block at line $line`, (block) => {
      const { status, stdout, stderr } = runBlock(dir, block)
      expect(status, `${stdout}\n${stderr}`).toBe(block.exit)
    })
  })
}

function runBlock(dir: string, block: Block) {
  if (block.language === 'sh') return run(dir, 'sh', ['-euc', block.code])
  const name = `block-${block.line}`
  writeFileSync(join(dir, `${name}.ts`), block.code)
  const types = typecheck(dir, [`${name}.ts`], 'node16')
  expect(types.status, types.stdout).toBe(0)
  writeFileSync(join(dir, `${name}.mjs`), transformSync(block.code, { loader: 'ts' }).code)
  return run(dir, process.execPath, [`${name}.mjs`])
}

describe('the convention', () => {
  const page = (...lines: readonly string[]) => lines.join('\n')

  test('a marked block is found with its language, status and place', () => {
    const text = page('<!-- run exit=4 -->', '```sh', 'false', 'true', '```', '```ts', 'const picture = 1', '```')
    expect(runnableBlocks('p.md', text)).toEqual([{ language: 'sh', exit: 4, line: 2, code: 'false\ntrue\n' }])
  })

  test.each([
    page('<!-- run -->', '', '```sh', 'true', '```'),
    page('<!-- run -->', '```json', '{}', '```'),
    page('<!-- run exit=four -->', '```sh', 'true', '```'),
    page('<!-- run -->', '```sh', 'true'),
  ])('a marker that would run nothing is an error', (text) => {
    expect(() => runnableBlocks('p.md', text)).toThrow('p.md:')
  })
})
