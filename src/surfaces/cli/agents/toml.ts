/* A table put behind the end of a TOML file, and taken out again; everything before it stays byte for byte. */
import { MARK, SERVER, type Target } from './plan.ts'
import { unusable } from './settings.ts'

const HEADER = new RegExp(`^[ \\t]*\\[[ \\t]*mcp_servers[ \\t]*\\.[ \\t]*["']?${SERVER}["']?[ \\t]*\\]`, 'm')
const END = `${MARK} end`
/** With the empty line before it. */
const BLOCK = new RegExp(`((?<=^|\\n)\\r?\\n)?${MARK} begin\\r?\\n[\\s\\S]*?${MARK} end\\r?\\n`)

export function withTable(text: string, { file, server }: Target): string {
  if (server === undefined || HEADER.test(text.replace(BLOCK, '')) || text.includes(block(server, eolOf(text))))
    return text
  if (/^[ \t]*mcp_servers[ \t]*(=|\.)/m.test(text))
    throw unusable(file, 'it writes mcp_servers in a form that a table cannot follow')
  const kept = text.replace(BLOCK, '')
  const eol = eolOf(kept)
  return `${kept}${kept === '' || kept.endsWith('\n') ? '' : eol}${kept === '' ? '' : eol}${block(server, eol)}`
}

/** `original` is what the file was before, where that is known: a last line without an end is so again. */
export function withoutTable(text: string, original = ''): string {
  const rest = text.replace(BLOCK, '')
  const isEnded = original !== '' && !original.endsWith('\n') && rest.endsWith('\n') && text.trimEnd().endsWith(END)
  return isEnded ? rest.replace(/\r?\n$/, '') : rest
}

const eolOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')

function block([command, ...args]: readonly string[], eol: string): string {
  const lines = [
    `${MARK} begin`,
    `[mcp_servers.${SERVER}]`,
    `command = ${JSON.stringify(command)}`,
    `args = [${args.map((each) => JSON.stringify(each)).join(', ')}]`,
    `${MARK} end`,
  ]
  return lines.map((line) => line + eol).join('')
}
