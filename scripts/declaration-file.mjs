import { parseSync, Visitor } from 'oxc-parser'

/**
 * A declaration file as a list of statements, each with the names it declares, the names it mentions, what it takes from
 * other files, and how it is written once the files it names are elsewhere. An import of several names is several
 * statements, so that the unused ones can go.
 */
export function declarationFile(path, text) {
  const { program, errors } = parseSync(path, text)
  if (errors[0]) throw new Error(`${path}: ${errors[0].message}`)
  // What stands before a statement is its comment.
  const starts = [0, ...program.body.map(({ end }) => end)]
  return program.body.flatMap((node, index) =>
    node.type === 'ImportDeclaration'
      ? node.specifiers.map((name) => importOf(node, name))
      : [other(node, starts[index], text)],
  )
}

const PATTERNS = {
  ImportDefaultSpecifier: ({ local }) => local.name,
  ImportNamespaceSpecifier: ({ local }) => `* as ${local.name}`,
  ImportSpecifier: ({ imported, local }) =>
    imported.name === local.name ? `{ ${local.name} }` : `{ ${imported.name} as ${local.name} }`,
}

function importOf({ source, importKind }, specifier) {
  const from = source.value
  const kind = importKind === 'type' || specifier.importKind === 'type' ? 'import type' : 'import'
  return {
    declares: [specifier.local.name],
    mentions: [],
    imports: [{ from, name: specifier.imported?.name }],
    write: (relink) => `${kind} ${PATTERNS[specifier.type](specifier)} from '${relink(from)}'\n`,
  }
}

function other(node, start, text) {
  const { mentions, taken } = contents(node)
  return {
    declares: declared(node),
    mentions,
    imports: taken.map(({ source, name }) => ({ from: source.value, name })),
    write: (relink) => relinked(text.slice(start, node.end), { start, taken, relink }),
  }
}

function contents(node) {
  const mentions = new Set()
  const taken = []
  new Visitor({
    Identifier: ({ name }) => mentions.add(name),
    ExportNamedDeclaration: ({ source, specifiers }) => {
      for (const { local } of source ? specifiers : []) taken.push({ source, name: local.name })
    },
    ExportAllDeclaration: ({ source }) => taken.push({ source }),
    TSImportType: ({ source, qualifier }) => taken.push({ source, name: firstName(qualifier) }),
  }).visit({ type: 'Program', body: [node] })
  return { mentions: [...mentions], taken }
}

/** The text with each specifier replaced once, from the back. */
function relinked(text, { start, taken, relink }) {
  const sources = new Map(taken.map(({ source }) => [source.start - start, source]))
  return [...sources]
    .toSorted(([a], [b]) => b - a)
    .reduce(
      (result, [at, { value, end }]) => `${result.slice(0, at)}'${relink(value)}'${result.slice(end - start)}`,
      text,
    )
}

const firstName = (qualifier) => (qualifier?.left ? firstName(qualifier.left) : qualifier?.name)

/** Names that a statement brings into its file, or among those that others may ask the file for. */
function declared(node) {
  if (node.type === 'ExportNamedDeclaration' && node.declaration) return declared(node.declaration)
  if (node.type === 'ExportNamedDeclaration') return node.specifiers.map(({ exported }) => exported.name)
  if (node.type === 'VariableDeclaration') return node.declarations.map(({ id }) => id.name)
  return node.id ? [node.id.name] : []
}
