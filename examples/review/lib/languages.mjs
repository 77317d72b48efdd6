// What a path says about a file: its language (how comments and strings are written), its kind and its role.

const quote = (open, multi = false) => ({ open, close: open, multi, escape: true })
const raw = (open) => ({ open, close: open, multi: true, escape: false })
const C = { line: ['//'], block: [['/*', '*/']], strings: [quote('"'), quote("'")], functions: 'parens' }
const HASH = { line: ['#'], block: [], strings: [quote('"'), quote("'")] }
const MARKUP = { line: [], block: [['<!--', '-->']], strings: [] }
const SCRIPT = { ...C, template: true, regex: true, modules: 'js' }

const LANGUAGES = {
  JavaScript: { ...SCRIPT, ext: 'js mjs cjs jsx' },
  TypeScript: { ...SCRIPT, ext: 'ts mts cts tsx' },
  Vue: {
    ...SCRIPT,
    block: [
      ['/*', '*/'],
      ['<!--', '-->'],
    ],
    ext: 'vue svelte astro',
  },
  Python: {
    ...HASH,
    strings: [raw('"""'), raw("'''"), ...HASH.strings],
    functions: 'indent',
    modules: 'py',
    ext: 'py pyi',
  },
  Go: { ...C, strings: [quote('"'), quote("'"), raw('`')], functions: 'func', ext: 'go' },
  Rust: { ...C, strings: [quote('"')], functions: 'fn', ext: 'rs' },
  Java: { ...C, ext: 'java' },
  Kotlin: { ...C, functions: 'fun', ext: 'kt kts' },
  Swift: { ...C, functions: 'func', ext: 'swift' },
  Scala: { ...C, functions: undefined, ext: 'scala' },
  C: { ...C, ext: 'c h' },
  'C++': { ...C, ext: 'cc cpp cxx hpp hh' },
  'C#': { ...C, ext: 'cs' },
  Dart: { ...C, ext: 'dart' },
  PHP: { ...C, line: ['//', '#'], functions: 'function', ext: 'php' },
  Ruby: { ...HASH, functions: 'indent', ext: 'rb' },
  Elixir: { ...HASH, ext: 'ex exs' },
  Shell: { ...HASH, functions: 'parens', ext: 'sh bash zsh' },
  Lua: { line: ['--'], block: [['--[[', ']]']], strings: HASH.strings, ext: 'lua' },
  SQL: { line: ['--'], block: [['/*', '*/']], strings: [quote("'")], ext: 'sql' },
  CSS: { line: [], block: [['/*', '*/']], strings: HASH.strings, ext: 'css', kind: 'style' },
  Sass: { ...C, functions: undefined, ext: 'scss less', kind: 'style' },
  HTML: { ...MARKUP, ext: 'html htm xml svg', kind: 'markup' },
  Markdown: { ...MARKUP, ext: 'md mdx', kind: 'docs' },
  YAML: { ...HASH, ext: 'yaml yml', kind: 'config' },
  TOML: { ...HASH, ext: 'toml ini cfg', kind: 'config' },
}

const BY_EXTENSION = new Map()
for (const [name, { ext, ...rest }] of Object.entries(LANGUAGES)) {
  for (const one of ext.split(' ')) BY_EXTENSION.set(one, { name, kind: 'source', ...rest })
}
const KINDS = new Map()
const kinds = {
  docs: 'txt rst adoc',
  config: 'json jsonc json5 env properties',
  data: 'csv tsv jsonl ndjson sqlite parquet log',
}
for (const [kind, ext] of Object.entries(kinds)) for (const one of ext.split(' ')) KINDS.set(one, kind)

const LOCKS =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|poetry\.lock|uv\.lock|pdm\.lock|Pipfile\.lock|Cargo\.lock|go\.sum|composer\.lock|Gemfile\.lock)$/
const HASH_FILES = /(?:^|\/)(?:Dockerfile|Makefile|Containerfile|Justfile|\.gitignore|\.dockerignore|\.editorconfig)$/
const FIXTURE = /(?:^|\/)(?:fixtures?|__fixtures__|testdata|__snapshots__|__mocks__|golden)\//i
const TEST_FOLDER = /(?:^|\/)(?:tests?|__tests__|specs?|e2e)\//i
const TEST_FILE =
  /(?:\.(?:test|spec|e2e)(?:-d)?\.[cm]?[jt]sx?|(?:^|\/)test_[^/]*\.py|_test\.(?:go|py|rb|exs?|dart)|_spec\.rb|(?:Test|Tests|Spec|IT)\.(?:java|kt|scala|cs|swift|php)|(?:^|\/)conftest\.py)$/
const SUPPORT =
  /(?:^|\/)(?:bench|benchmarks?|examples?|scripts?|docs?|tools|\.[^/]+)\/|(?:^|\/)[^/]*\.config\.[cm]?[jt]s$|(?:^|\/)(?:setup|conftest)\.py$|^[^/]*\.sh$/i

export function languageOf(path) {
  const found = BY_EXTENSION.get(extension(path))
  if (found) return found
  return HASH_FILES.test(path) ? { name: 'Config', kind: 'config', ...HASH } : undefined
}

/** source, test, fixture, docs, config, data, lock, style, markup or other. */
export function kindOf(path) {
  if (LOCKS.test(path)) return 'lock'
  if (FIXTURE.test(path)) return 'fixture'
  const language = languageOf(path)
  const isSource = language?.kind === 'source'
  if (isSource && (TEST_FILE.test(path) || TEST_FOLDER.test(path))) return 'test'
  return (
    language?.kind ??
    KINDS.get(extension(path)) ??
    (/(?:^|\/)(?:LICEN[CS]E|README|NOTICE)/i.test(path) ? 'docs' : 'other')
  )
}

/** Source that is shipped, as against examples, benchmarks, scripts and configuration. */
export const isSupport = (path) => SUPPORT.test(path)
export const isTestFile = (path) => kindOf(path) === 'test' && TEST_FILE.test(path)
export const isDeclaration = (path) => /\.d\.[cm]?ts$|\.pyi$/.test(path)

export function extension(path) {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : ''
}
