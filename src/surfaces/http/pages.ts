/*
 * The web pages: files of one folder, and a plain page where they are not built.
 *
 * F1. Only files that were there at the start are served, by their exact names and as they were then: a path of a request
 *     never reaches the file system, and a package that is replaced takes no page from a daemon that runs.
 * F2. A browser that goes to any other address gets the start page, which reads its view from the address.
 */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { PLAIN_PAGE, PLAIN_SCRIPT, PLAIN_STYLE } from './plain.ts'

interface Page {
  readonly type: string
  readonly cache: 'no-store' | 'public, max-age=31536000, immutable'
  readonly body: Uint8Array<ArrayBuffer> | string
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
}

/** Where the bundler puts what has its hash in its name. */
const HASHED = /^assets\//

/** What only a file is called: a session may have a dot in its name, too. */
const FILE = /^\/(assets\/.*|[^/]*)\.\w+$/

export type Pages = ReadonlyMap<string, Page>

export function pagesIn(folder: string): Pages {
  const found = new Map(filesIn(folder).map((name) => [`/${name}`, fileOf(folder, name)] as const))
  const start = found.get('/index.html')
  return start === undefined ? PLAIN : found.set('/', start)
}

/** The page at a path; the start page for a browser that takes what is no file for an address (F2). */
export function pageAt(pages: Pages, pathname: string, accept = ''): Page | undefined {
  const isAddress = accept.includes('text/html') && !FILE.test(pathname)
  return pages.get(pathname) ?? (isAddress ? pages.get('/') : undefined)
}

function filesIn(folder: string): readonly string[] {
  if (!fs.existsSync(folder)) return []
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && Object.hasOwn(TYPES, path.extname(entry.name)))
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
}

const fileOf = (folder: string, name: string): Page => ({
  type: TYPES[path.extname(name)] ?? 'application/octet-stream',
  cache: HASHED.test(name) ? 'public, max-age=31536000, immutable' : 'no-store',
  body: fs.readFileSync(path.join(folder, name)),
})

const plain = (type: string, text: string): Page => ({ type: TYPES[type] ?? '', cache: 'no-store', body: text })

const PLAIN: Pages = new Map([
  ['/', plain('.html', PLAIN_PAGE)],
  ['/plain.js', plain('.js', PLAIN_SCRIPT)],
  ['/plain.css', plain('.css', PLAIN_STYLE)],
])
