/*
 * Members put into a JSON file, with or without comments, and taken out again.
 *
 * J1. Every byte that is no part of what is put in or taken out stays.
 * J2. What is there twice is put in once; what was put in by another version, or from another folder, is replaced.
 * J3. Where it is known how the file was before, what it held then stays: a server of our name, lists that were empty.
 * J4. A file that is no object, or holds something else where what is put in belongs, or holds that place twice, is refused
 *     and not touched.
 * J5. What stands among the hooks and is no list of them is a setting, not an event: it is passed over.
 */
import {
  applyEdits,
  createScanner,
  findNodeAtLocation,
  getNodeValue,
  modify,
  parse,
  parseTree,
  type Edit,
  type JSONPath,
  type Node,
  type ParseError,
} from 'jsonc-parser'
import { EngineError } from '../../../kernel/error.ts'
import { isMembers, membersOf } from '../../../kernel/json/members.ts'
import { textAt } from '../show/view.ts'
import { MARK, SERVER, type Hook, type Target } from './target.ts'
import { wordsForProgram } from './through-node.ts'

/** The text with everything of the target in it; `original` is what it was before anything was put in, where that is known. */
export function withTarget(text: string, target: Target, original?: string): string {
  const begun = text.trim() === '' ? '{\n}\n' : text
  let edited = withoutHooks(begun, target, target.hooks)
  for (const hook of target.hooks) edited = withHook(edited, target, hook)
  edited = withServer(edited, target, original)
  const { statusLine } = read(edited, target.file)
  const isOld = isOurs(statusLine) && membersOf(statusLine)['command'] !== target.statusLine
  if (target.statusLine !== undefined && (statusLine === undefined || isOld))
    edited = put(edited, ['statusLine'], { type: 'command', command: target.statusLine })
  return edited
}

/** J2, J3: what somebody has set on one of ours stays. */
function withServer(text: string, { file, server }: Target, original?: string): string {
  if (server === undefined) return text
  const { [SERVER]: there } = objectIn(read(text, file), 'mcpServers', file)
  if (there === undefined) return put(text, ['mcpServers', SERVER], entryOf(server))
  const wasTheirs = original === undefined || serversIn(original, file)[SERVER] !== undefined
  const words = wordsForProgram(lineOf(there))
  if (wasTheirs || words?.[0] !== 'mcp') return text
  const line = [...server.slice(0, -1), ...words]
  if (JSON.stringify(line) === JSON.stringify(lineOf(there))) return text
  const { command, args } = entryOf(line)
  return put(put(text, ['mcpServers', SERVER, 'command'], command), ['mcpServers', SERVER, 'args'], args)
}

const serversIn = (text: string, file: string): Root =>
  text.trim() === '' ? {} : membersOf(read(text, file)['mcpServers'])

/** The text without what was put in; `original` is what it was before, where that is known (J3). */
export function withoutTarget(text: string, target: Target, original = ''): string {
  if (text.trim() === '') return text
  const was = original.trim() === '' ? {} : read(original, target.file)
  const edited = withoutHooks(text, target, [], was)
  const rest = isOurs(read(edited, target.file)['statusLine']) ? put(edited, ['statusLine'], undefined) : edited
  return target.server === undefined ? rest : withoutServer(rest, target, was)
}

function withoutServer(text: string, { file }: Target, was: Root): string {
  const servers = membersOf(read(text, file)['mcpServers'])
  if (membersOf(was['mcpServers'])[SERVER] !== undefined || !isOurServer(servers[SERVER])) return text
  const isAlone = Object.keys(servers).length === 1 && was['mcpServers'] === undefined
  return put(text, isAlone ? ['mcpServers'] : ['mcpServers', SERVER], undefined)
}

/** Wherever the program was then. */
const isOurServer = (entry: unknown): boolean => wordsForProgram(lineOf(entry))?.[0] === 'mcp'

function lineOf(entry: unknown): readonly unknown[] {
  const { command, args } = membersOf(entry)
  return [command, ...(Array.isArray(args) ? (args as readonly unknown[]) : [])]
}

type Root = Readonly<Record<string, unknown>>

const entryOf = ([command, ...args]: readonly unknown[]) => ({ command, args })

function withHook(text: string, { file, timeout: usual }: Target, hook: Hook): string {
  const { event, command, timeout = usual, ...which } = hook
  const groups = groupsOf(read(text, file), event, file)
  if (groups.some((group) => commandsOf(group).includes(command))) return text
  const group = { ...which, hooks: [{ type: 'command', command, timeout }] }
  return hooksIn(read(text, file), file)[event] === undefined
    ? put(text, ['hooks', event], [group])
    : put(text, ['hooks', event, groups.length], group, true)
}

/** `keep` are those that stay as they are. A list that becomes empty goes, unless it `was` there. */
function withoutHooks(text: string, { file }: Target, keep: readonly Hook[], was: Root = {}): string {
  let edited = text
  for (const [event, value] of Object.entries(hooksIn(read(text, file), file))) {
    if (!Array.isArray(value)) continue // J5
    const groups = groupsOf(read(edited, file), event, file)
    const wanted = new Set(keep.filter((hook) => hook.event === event).map(({ command }) => command))
    for (let at = groups.length - 1; at >= 0; at--)
      edited = withoutEntries(edited, ['hooks', event, at], (each) => isMarked(each) && !wanted.has(each))
    const isEmpty = groups.length > 0 && groupsOf(read(edited, file), event, file).length === 0
    if (isEmpty && membersOf(was['hooks'])[event] === undefined) edited = put(edited, ['hooks', event], undefined)
  }
  const left = read(edited, file)
  const isEmpty = left['hooks'] !== undefined && Object.keys(hooksIn(left, file)).length === 0
  return isEmpty && edited !== text && was['hooks'] === undefined ? put(edited, ['hooks'], undefined) : edited
}

/** A group goes with its last entry; somebody may have put one of theirs into ours. */
function withoutEntries(text: string, group: JSONPath, isGone: (command: string) => boolean): string {
  const root = parseTree(text.replace(/^\ufeff/, ' '))
  const node = root === undefined ? undefined : findNodeAtLocation(root, group)
  const gone = commandsOf(node === undefined ? undefined : getNodeValue(node)).map(isGone)
  if (!gone.includes(true)) return text
  if (!gone.includes(false)) return put(text, group, undefined)
  const at = gone.lastIndexOf(true)
  return withoutEntries(put(text, [...group, 'hooks', at], undefined), group, isGone)
}

const isMarked = (command: string): boolean => command.endsWith(MARK)
const isOurs = (entry: unknown): boolean => isMarked(commandOf(entry))

const commandOf = (entry: unknown): string => textAt(membersOf(entry)['command']) ?? ''

function commandsOf(group: unknown): readonly string[] {
  const hooks: unknown = membersOf(group)['hooks']
  return Array.isArray(hooks) ? hooks.map(commandOf) : []
}

const hooksIn = (root: Root, file: string): Root => objectIn(root, 'hooks', file)

/** J4 */
function objectIn(root: Root, member: string, file: string): Root {
  const value = root[member]
  if (value === undefined || isMembers(value)) return membersOf(value)
  throw unusable(file, `"${member}" is no object`)
}

function groupsOf(root: Root, event: string, file: string): readonly unknown[] {
  const { [event]: groups = [] } = hooksIn(root, file)
  if (Array.isArray(groups)) return groups
  throw unusable(file, `"hooks.${event}" is no list`)
}

function read(text: string, file: string): Root {
  const errors: ParseError[] = []
  const value: unknown = parse(text.replace(/^\ufeff/, ' '), errors, { allowTrailingComma: true })
  const [first] = errors
  if (first !== undefined) {
    const before = text.slice(0, first.offset).split('\n')
    throw unusable(file, `it is no JSON at ${before.length}:${(before.at(-1) ?? '').length + 1}`)
  }
  if (!isMembers(value)) throw unusable(file, 'it holds no object')
  const twice = namedTwice(text)
  if (twice !== undefined) throw unusable(file, `"${twice}" is there twice`)
  return value
}

/** J4: of two members of one name the last counts, but the first would be found and changed. */
function namedTwice(text: string): string | undefined {
  const root = parseTree(text.replace(/^\ufeff/, ' '))
  for (const place of [[], ['hooks'], ['mcpServers']]) {
    const node = root === undefined ? undefined : findNodeAtLocation(root, place)
    const names = (node?.type === 'object' ? (node.children ?? []) : []).map(({ children }) =>
      String(children?.[0]?.value),
    )
    const twice = names.find((name, at) => names.indexOf(name) !== at && (place.length > 0 || OF_OURS.has(name)))
    if (twice !== undefined) return [...place, twice].join('.')
  }
  return undefined
}

const OF_OURS: ReadonlySet<string> = new Set(['hooks', 'mcpServers', 'statusLine'])

export function unusable(file: string, why: string): EngineError {
  return new EngineError('INPUT_INVALID', `${file} was not changed: ${why}`, {
    hint: 'mend the file, then try again',
    details: { file },
  })
}

/** J1: the library says where; its own formatting would lay out the lines around anew. */
function put(text: string, place: JSONPath, value: unknown, isArrayInsertion = false): string {
  const mark = text.startsWith('\ufeff') ? '\ufeff' : ''
  const body = text.slice(mark.length)
  if (value === undefined) return mark + takenOut(body, place)
  const edits = modify(body, place, value, { isArrayInsertion })
  return (
    mark +
    applyEdits(
      body,
      edits.map((edit) => laidOut(body, place, edit)),
    )
  )
}

/** With the comma that goes with it; comments around it stay. */
function takenOut(text: string, place: JSONPath): string {
  const root = parseTree(text)
  const found = root === undefined ? undefined : findNodeAtLocation(root, place)
  const node = found?.parent?.type === 'property' ? found.parent : found
  if (node?.parent?.children === undefined) return text
  const { parent } = node
  const at = parent.children?.indexOf(node) ?? 0
  const [before, after] = [parent.children?.[at - 1], parent.children?.[at + 1]]
  const from = before === undefined ? parent.offset + 1 : endOf(before)
  const to = after === undefined ? endOf(parent) - 1 : after.offset
  return (
    text.slice(0, from) + around(text.slice(from, node.offset), text.slice(endOf(node), to), before) + text.slice(to)
  )
}

const endOf = ({ offset, length }: Node): number => offset + length

/** What stays between the neighbours of a member that goes: a comment may hold commas, and end with its line. */
function around(ahead: string, behind: string, before: Node | undefined): string {
  if (before !== undefined) return atComma(ahead, (text, rest) => text + rest.trimStart()) + behind
  const rest = atComma(behind, (text, after) => (text.trim() === '' ? '' : text) + after)
  return ahead.trim() === '' ? rest.replace(/^\s*$/, '') : ahead + rest.trimStart()
}

/** A text of comments with a comma among them, without that one; as it is where there is none. */
function atComma(text: string, joined: (before: string, behind: string) => string): string {
  const scanner = createScanner(text, true)
  scanner.scan()
  const at = scanner.getTokenOffset()
  return text[at] === ',' ? joined(text.slice(0, at), text.slice(at + 1)) : text
}

/** What is put in stands on lines of its own, indented as the file is, where the file has lines at all. */
function laidOut(text: string, place: JSONPath, edit: Edit): Edit {
  const [, lead = '', name = '', value = ''] = /^(,?)\s*("(?:[^"\\]|\\.)*":\s*)?([\s\S]*?)$/.exec(edit.content) ?? []
  if (edit.length > 0 || !text.trimEnd().includes('\n')) return edit
  const { eol, indent } = layoutOf(text)
  const depth = depthOf(text, place)
  const start = eol + indent.repeat(depth)
  const pretty = JSON.stringify(JSON.parse(value), null, indent).replaceAll('\n', start)
  const isOnly = /[}\]]/.test(text[edit.offset] ?? '') && lead === '' ? eol + indent.repeat(depth - 1) : ''
  return { ...edit, content: `${lead}${start}${name.trimEnd()}${name === '' ? '' : ' '}${pretty}${isOnly}` }
}

/** How deep what is put in will stand: below as much of its place as there is. */
function depthOf(text: string, place: JSONPath): number {
  const root = parseTree(text)
  const there = place.findIndex(
    (_, at) => root === undefined || findNodeAtLocation(root, place.slice(0, at + 1)) === undefined,
  )
  return (there < 0 ? place.length - 1 : there) + 1
}

function layoutOf(text: string) {
  return { indent: /\n([\t ]+)\S/.exec(text)?.[1] ?? '  ', eol: text.includes('\r\n') ? '\r\n' : '\n' }
}
