import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pageAt, pagesIn } from './pages.ts'

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'pages-'))
const folder = path.join(dir, 'web')
beforeAll(() => {
  fs.mkdirSync(path.join(folder, 'assets'), { recursive: true })
  fs.writeFileSync(path.join(folder, 'index.html'), '<title>built</title>')
  fs.writeFileSync(path.join(folder, 'assets', 'app-1a2b3c4d.js'), 'let a')
  fs.writeFileSync(path.join(folder, 'notes.bak'), 'kept to ourselves')
  fs.writeFileSync(path.join(dir, 'secret.txt'), 'secret')
  fs.symlinkSync(path.join(dir, 'secret.txt'), path.join(folder, 'link.txt'))
})
afterAll(() => fs.rmSync(dir, { recursive: true, force: true }))

const textAt = (target: string, accept?: string) => {
  const body = pageAt(pagesIn(folder), target, accept)?.body
  return body === undefined ? undefined : String(body)
}

test('F1. only files that are there, of kinds that are known, by their exact names', () => {
  expect(textAt('/')).toBe('<title>built</title>')
  expect(textAt('/index.html')).toBe('<title>built</title>')
  expect(textAt('/assets/app-1a2b3c4d.js')).toBe('let a')
  for (const target of [
    '/notes.bak',
    '/link.txt',
    '/../secret.txt',
    '/assets',
    '/assets/../../secret.txt',
    '/%2e%2e/secret.txt',
  ])
    expect(textAt(target), target).toBeUndefined()
})

test('F1. what has its hash in its name is kept by browsers; nothing else is', () => {
  expect(pageAt(pagesIn(folder), '/assets/app-1a2b3c4d.js')?.cache).toContain('immutable')
  expect(pageAt(pagesIn(folder), '/')?.cache).toBe('no-store')
})

test('F1. what a package had at the start is served after another took its place', () => {
  const old = path.join(dir, 'old')
  fs.cpSync(folder, old, { recursive: true })
  const pages = pagesIn(old)
  fs.rmSync(old, { recursive: true })
  expect(String(pages.get('/')?.body)).toBe('<title>built</title>')
  expect(String(pages.get('/assets/app-1a2b3c4d.js')?.body)).toBe('let a')
})

test('F2. an address of a browser is the start page; a file that is missing, and a program, are told so', () => {
  const browser = 'text/html,application/xhtml+xml,*/*;q=0.8'
  expect(textAt('/sessions/build/log', browser)).toBe('<title>built</title>')
  expect(textAt('/session/release-1.2', browser)).toBe('<title>built</title>')
  expect(textAt('/assets/app-ffffffff.js', browser)).toBeUndefined()
  expect(textAt('/favicon.png', browser)).toBeUndefined()
  expect(textAt('/sessions/build/log', '*/*')).toBeUndefined()
})

test('without built pages there is a plain one, which runs only a file of ours', () => {
  const pages = pagesIn(path.join(dir, 'none'))
  expect([...pages.keys()]).toEqual(['/', '/plain.js', '/plain.css'])
  expect(pages.get('/')?.body).toContain('<script src="/plain.js" defer></script>')
})
