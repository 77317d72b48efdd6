/* The files that a tool of an agent CLI is about to change, as its hook is told. */
import * as path from 'node:path'
import { membersOf } from '../../../kernel/json/members.ts'
import { textAt } from '../show/view.ts'

/** Tools that change a file which they name. */
const WRITERS = /^(Write|Edit|MultiEdit|NotebookEdit|write_file|replace|write|edit|multiedit)$/
const FILES = ['file_path', 'filePath', 'notebook_path', 'path', 'absolute_path']
/** Codex, and opencode with some models, change files by a text, as a tool of its own or as a command of its shell. */
const PATCHERS = /^(apply_patch|patch|Bash|shell|local_shell|exec_command|shell_command)$/
const PATCHES = ['command', 'cmd', 'input', 'patch', 'patchText']
const PATCH = '*** Begin Patch'
const PATCHED = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm

/** Whole paths; none for a tool that changes no file, or does not say which. */
export function writtenBy(told: Readonly<Record<string, unknown>>, here: string): readonly string[] {
  const tool = String(told['tool_name'])
  const given = membersOf(told['tool_input'])
  const base = path.resolve(here, textAt(told['cwd']) ?? '', textAt(given['workdir']) ?? '')
  return (WRITERS.test(tool) ? named(given) : PATCHERS.test(tool) ? patched(given) : []).map((file) =>
    path.resolve(base, file),
  )
}

const named = (given: Readonly<Record<string, unknown>>): readonly string[] =>
  FILES.map((name) => textAt(given[name]))
    .filter((each) => each !== null)
    .slice(0, 1)

function patched(given: Readonly<Record<string, unknown>>): readonly string[] {
  return PATCHES.map((name) => wordsOf(given[name]))
    .filter((text) => text.includes(PATCH))
    .flatMap((text) => [...text.matchAll(PATCHED)].map(([, file = '']) => file.trim()))
}

/** A command is a text, or a list of words. */
const wordsOf = (value: unknown): string =>
  Array.isArray(value) ? value.map(String).join('\n') : (textAt(value) ?? '')
