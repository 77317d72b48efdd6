import { parseSync, Visitor } from 'oxc-parser'

/** One mention of another module, however it is written. */
export interface Mention {
  /** The specifier, or undefined where it is computed and so cannot be known. */
  readonly specifier: string | undefined
  /** True when nothing of it is there at run time. */
  readonly typeOnly: boolean
  /** True for `export *`, which publishes names that nobody listed. */
  readonly wildcard?: boolean
}

/** Parses TypeScript; a file that does not parse is an error, because nothing could be said about it. */
export function parse(file: string, text: string) {
  const { program, errors } = parseSync(file, text)
  const first = errors[0]
  if (first) throw new Error(`${file}: ${first.message}`)
  return program
}

/** Imports, re-exports, `import()`, `import('…')` types, `import x = require()` and `require()`. */
export function mentions(file: string, text: string): readonly Mention[] {
  const found: Mention[] = []
  const add = (source: object | null, typeOnly: boolean, wildcard = false) => {
    const value: unknown = source && Reflect.get(source, 'value')
    const specifier = typeof value === 'string' ? value : undefined
    if (source) found.push({ specifier, typeOnly, wildcard })
  }
  const visitor = new Visitor({
    ImportDeclaration: (node) => {
      // `import { type A }` still loads the module.
      add(node.source, node.importKind === 'type')
    },
    ExportNamedDeclaration: (node) => {
      add(node.source, node.exportKind === 'type')
    },
    ExportAllDeclaration: (node) => {
      add(node.source, node.exportKind === 'type', node.exported === null)
    },
    ImportExpression: (node) => {
      add(node.source, false)
    },
    TSImportType: (node) => {
      add(node.source, true)
    },
    TSExternalModuleReference: (node) => {
      add(node.expression, false)
    },
    CallExpression: (node) => {
      if (node.callee.type === 'Identifier' && node.callee.name === 'require') add(node.arguments[0] ?? {}, false)
    },
  })
  visitor.visit(parse(file, text))
  return found
}
