/* What git has not committed, as one patch that applies elsewhere. */
import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { patchFor } from '../../src/drivers/vault/patch.ts'
import { patchOf } from '../../src/drivers/vault/project.ts'
import { DEFAULTS } from '../../src/kernel/kernel.ts'
import { makeRedactor } from '../../src/kernel/redact/redact.ts'
import { scratch } from './rig.ts'

const root = scratch()
let dir = ''
let count = 0

const git = (where: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-C', where, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { encoding: 'utf8' })

beforeEach(() => {
  dir = path.join(root, `of-${(count += 1)}`)
  fs.mkdirSync(path.join(dir, 'sub'), { recursive: true })
  git(dir, 'init', '--quiet')
  fs.writeFileSync(path.join(dir, 'kept.txt'), 'one\ntwo\n')
  fs.writeFileSync(path.join(dir, 'sub/moved.txt'), 'a\nb\nc\n')
  git(dir, 'add', '.')
  git(dir, 'commit', '--quiet', '-m', 'base')
})

afterAll(() => fs.rmSync(root, { recursive: true, force: true }))

/** Files as they are in a clone once the patch is applied there. */
function appliedElsewhere(patch: Buffer): string {
  const [there, file] = [`${dir}-there`, `${dir}.diff`]
  fs.writeFileSync(file, patch)
  execFileSync('git', ['clone', '--quiet', dir, there])
  git(there, 'apply', '--whitespace=nowarn', file)
  return there
}

const shown = [
  'color.ui=always',
  'diff.noprefix=true',
  'diff.external=false',
  'diff.submodule=log',
  'core.safecrlf=true',
]

test.each(shown)('a patch applies elsewhere, whatever git is told here: %s', (setting) => {
  const [name = '', value = ''] = setting.split('=')
  git(dir, 'config', name, value)
  if (name === 'core.safecrlf') git(dir, 'config', 'core.autocrlf', 'input')
  fs.writeFileSync(path.join(dir, 'kept.txt'), 'one\nthree\n')
  fs.writeFileSync(path.join(dir, 'ends.txt'), 'one\r\n')
  fs.renameSync(path.join(dir, 'sub/moved.txt'), path.join(dir, 'sub/über all.txt'))
  const there = appliedElsewhere(patchOf(dir))
  expect(fs.readFileSync(path.join(there, 'kept.txt'), 'utf8')).toBe('one\nthree\n')
  expect(fs.readdirSync(path.join(there, 'sub'))).toEqual(['über all.txt'])
  expect(fs.readFileSync(path.join(there, 'ends.txt'), 'utf8')).toMatch(/^one\r?\n$/)
})

test('a patch drives no program that shows files in another form', () => {
  git(dir, 'config', 'diff.loud.textconv', 'tr a-z A-Z <')
  fs.writeFileSync(path.join(dir, '.gitattributes'), '*.txt diff=loud\n')
  fs.writeFileSync(path.join(dir, 'kept.txt'), 'one\nthree\n')
  expect(fs.readFileSync(path.join(appliedElsewhere(patchOf(dir)), 'kept.txt'), 'utf8')).toBe('one\nthree\n')
})

test('a repository or a worktree that lies inside stays, and keeps nothing else from going along', () => {
  git(dir, 'worktree', 'add', '--quiet', path.join(dir, '.trees/feature'), '-b', 'feature')
  fs.mkdirSync(path.join(dir, 'em[pty]'))
  git(path.join(dir, 'em[pty]'), 'init', '--quiet')
  fs.writeFileSync(path.join(dir, 'new.txt'), 'new\n')
  const patch = patchOf(dir)
  expect(patch.toString()).not.toContain('Subproject')
  expect(fs.readdirSync(appliedElsewhere(patch)).toSorted()).toEqual(['.git', 'kept.txt', 'new.txt', 'sub'])
})

test('what is added in spite of .gitignore goes along, and what git was told to leave out of the tree is no deletion', () => {
  git(dir, 'sparse-checkout', 'set', 'other')
  fs.writeFileSync(path.join(dir, '.gitignore'), 'out/\n.steadfold/\n')
  for (const folder of ['out', '.steadfold']) {
    fs.mkdirSync(path.join(dir, folder))
    fs.writeFileSync(path.join(dir, folder, 'made.txt'), 'made\n')
    git(dir, 'add', '--force', '--sparse', `${folder}/made.txt`)
  }
  const there = appliedElsewhere(patchOf(dir))
  expect(fs.readdirSync(there).toSorted()).toEqual(['.git', '.gitignore', 'kept.txt', 'out', 'sub'])
  expect(fs.readFileSync(path.join(there, 'out/made.txt'), 'utf8')).toBe('made\n')
})

test('bundles stay: the one that is being written with the patch in it, and those of before', () => {
  for (const name of ['auth.steadfold', '.auth.steadfold.0123456789abcdef.tmp', 'sub/old.steadfold', 'sub/new.txt'])
    fs.writeFileSync(path.join(dir, name), 'new\n')
  expect(
    patchOf(dir)
      .toString()
      .match(/^diff .*/gm),
  ).toEqual(['diff --git a/sub/new.txt b/sub/new.txt'])
})

test('the index stays as it is, and of a folder within a repository only what is below it goes along', () => {
  fs.writeFileSync(path.join(dir, 'kept.txt'), 'staged\n')
  git(dir, 'add', 'kept.txt')
  fs.writeFileSync(path.join(dir, 'sub/new.txt'), 'new\n')
  const before = git(dir, 'status', '--porcelain')
  const patch = patchOf(path.join(dir, 'sub')).toString()
  expect([patch.includes('b/sub/new.txt'), patch.includes('kept.txt')]).toEqual([true, false])
  expect(git(dir, 'status', '--porcelain')).toBe(before)
})

test.each([
  ['is not there', () => path.join(root, 'nowhere'), 'FILE_NOT_FOUND'],
  ['is no folder', () => path.join(dir, 'kept.txt'), 'FILE_NOT_FOUND'],
])('a temporary folder that %s is told', (_what, folder, code) => {
  vi.stubEnv('TMPDIR', folder())
  expect(() => patchOf(dir)).toThrow(expect.objectContaining({ code }))
  vi.unstubAllEnvs()
})

test('why git makes no patch is told', () => {
  fs.writeFileSync(path.join(dir, '.git/index'), 'no index, '.repeat(10))
  expect(() => patchOf(dir)).toThrow(/git makes no patch of .*: bad signature/)
})

test('P2 what is taken out of a patch leaves one that applies: a file is left out where it would not', () => {
  const token = (n: number) => `TOKEN=ghp_${String(n).repeat(36)}\n`
  const file = (name: string) => path.join(dir, name)
  for (const name of ['near.txt', 'gone.txt']) fs.writeFileSync(file(name), `one\n${token(1)}two\n`)
  git(dir, 'add', '.')
  git(dir, 'commit', '--quiet', '-m', 'with secrets')
  fs.appendFileSync(file('near.txt'), 'three\n')
  fs.writeFileSync(file('gone.txt'), 'one\ntwo\n')
  fs.writeFileSync(file('added.txt'), `one\n${token(2)}`)
  fs.writeFileSync(file(`ghp_${'3'.repeat(36)}`), 'named\n')
  const { bytes, redacted } = patchFor(dir, makeRedactor(DEFAULTS.redaction), 'redact')
  expect(bytes.toString()).not.toMatch(/ghp_/)
  expect(redacted.size).toBe(1)
  const there = appliedElsewhere(bytes)
  expect(fs.readFileSync(path.join(there, 'added.txt'), 'utf8')).toBe('one\nTOKEN=[redacted:github-token]\n')
})
