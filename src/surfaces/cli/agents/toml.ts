/* A table put behind the end of a TOML file, and taken out again; everything before it stays byte for byte. */
import { parse, TomlError } from 'smol-toml'
import { isMembers, type Members } from '../../../kernel/json/members.ts'
import { unusable } from './settings.ts'
import { MARK, SERVER, type Target } from './target.ts'

const named = (name: string): string => `[ \\t]*["']?${name}["']?[ \\t]*`
/** A table that is not of our server, with what is left empty or said before it. */
const OTHERS = new RegExp(
  `(^[ \\t]*(#.*)?\\r?\\n)*(?!^[ \\t]*\\[${named('mcp_servers')}\\.${named(SERVER)}[\\].])^[ \\t]*\\[`,
  'm',
)
const END = `${MARK} end`
/** With the empty line before it. */
const BLOCK = new RegExp(`((?<=^|\\n)\\r?\\n)?${MARK} begin\\r?\\n([\\s\\S]*?)${END}(\\r?\\n|$)`)

export function withTable(text: string, { file, server }: Target): string {
  const kept = withoutBlock(text)
  if (server === undefined || isThere(kept, file) || text.includes(table(server, eolOf(text)))) return text
  const eol = eolOf(kept)
  const ahead = `${kept === '' || kept.endsWith('\n') ? '' : eol}${kept === '' ? '' : eol}`
  const put = `${kept}${ahead}${table(server, eol)}${END}${eol}`
  if (isOwn(read(put))) return put
  throw unusable(file, 'it writes mcp_servers in a form that a table cannot follow')
}

/** Whether it has a server of our name, in whatever form. */
function isThere(text: string, file: string): boolean {
  const root = read(text)
  if (root instanceof TomlError) throw unusable(file, `it is no TOML at ${root.line}:${root.column}`)
  return isOwn(root)
}

function isOwn(root: Members | TomlError): boolean {
  const servers = root instanceof TomlError ? undefined : root['mcp_servers']
  return isMembers(servers) && Object.hasOwn(servers, SERVER)
}

function read(text: string): Members | TomlError {
  try {
    return parse(text, { integersAsBigInt: 'asNeeded' })
  } catch (error) {
    if (error instanceof TomlError) return error
    throw error
  }
}

/** Codex puts a table of its own before a comment at the end, between our marks: that one stays. */
const withoutBlock = (text: string): string =>
  text.replace(BLOCK, (_block, _empty, inside: string) => {
    const at = inside.search(OTHERS)
    return at < 0 ? '' : inside.slice(at)
  })

/** `original` is what the file was before, where that is known: a last line without an end is so again. */
export function withoutTable(text: string, original = ''): string {
  const rest = withoutBlock(text)
  const isEnded = original !== '' && !original.endsWith('\n') && rest.endsWith('\n') && text.trimEnd().endsWith(END)
  return isEnded ? rest.replace(/\r?\n$/, '') : rest
}

const eolOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')

const HANDED_ON = ['STEADFOLD_ACTOR', 'STEADFOLD_DIR', 'STEADFOLD_SESSION']

const list = (words: readonly string[]): string => `[${words.map((each) => JSON.stringify(each)).join(', ')}]`

function table([command, ...args]: readonly string[], eol: string): string {
  const lines = [
    `${MARK} begin`,
    `[mcp_servers.${SERVER}]`,
    `command = ${JSON.stringify(command)}`,
    `args = ${list(args)}`,
    // Codex clears the environment of its servers but for these.
    `env_vars = ${list(HANDED_ON)}`,
  ]
  return lines.map((line) => line + eol).join('')
}
