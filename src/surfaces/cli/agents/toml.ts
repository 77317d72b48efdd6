/* A table put behind the end of a TOML file, and taken out again; everything before it stays byte for byte. */
import { unusable } from './settings.ts'
import { MARK, SERVER, type Target } from './target.ts'

const named = (name: string): string => `[ \\t]*["']?${name}["']?[ \\t]*`
const TABLE = `^[ \\t]*\\[${named('mcp_servers')}`
const OURS = `\\.${named(SERVER)}`
/** A table of our name, or a member of the table of all servers. */
const THERE = new RegExp(`${TABLE}(${OURS}\\]|\\].*\\n((?![ \\t]*\\[).*\\n)*?${named(SERVER)}[=.])`, 'm')
/** Its value, a dotted name below it, or a list of tables. */
const UNFOLLOWED = new RegExp(`^(${named('mcp_servers')}[=.]|[ \\t]*\\[\\[${named('mcp_servers')}\\])`, 'm')
/** With what is left empty or said before it. */
const OTHERS = new RegExp(`(^[ \\t]*(#.*)?\\r?\\n)*(?!${TABLE}${OURS}[\\].])^[ \\t]*\\[`, 'm')
const END = `${MARK} end`
/** With the empty line before it. */
const BLOCK = new RegExp(`((?<=^|\\n)\\r?\\n)?${MARK} begin\\r?\\n([\\s\\S]*?)${END}(\\r?\\n|$)`)

export function withTable(text: string, { file, server }: Target): string {
  const kept = withoutBlock(text)
  if (server === undefined || THERE.test(kept) || text.includes(table(server, eolOf(text)))) return text
  if (UNFOLLOWED.test(kept)) throw unusable(file, 'it writes mcp_servers in a form that a table cannot follow')
  const eol = eolOf(kept)
  const ahead = `${kept === '' || kept.endsWith('\n') ? '' : eol}${kept === '' ? '' : eol}`
  return `${kept}${ahead}${table(server, eol)}${END}${eol}`
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
