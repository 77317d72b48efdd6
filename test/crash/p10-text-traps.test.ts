import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { steadfold, type Command } from './rig/cli.ts'
import { patience, scratch, soak, subject } from './rig/plan.ts'

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)

/** Each trap is a process or two: the short form takes every third. */
const some = <T>(all: readonly T[]): readonly T[] => all.filter((_, n) => soak || n % 3 === 0)

/** JSON texts, and texts that are nearly JSON; what is taken must come back the same, number by number. */
const texts: readonly (string | Buffer)[] = some([
  '9007199254740991',
  '9007199254740993',
  '-9007199254740993',
  '123456789012345678901234567890',
  '0.1',
  '0.1000000000000000055511',
  '1e400',
  '-1e400',
  '1e-400',
  '-0',
  '-0.0',
  '[1,-0]',
  '1.0',
  '1E2',
  '"\\ud800"',
  '{"\\udc00":1}',
  '"\\u0000"',
  '{"a":1,"a":2}',
  '{"__proto__":{"polluted":1}}',
  '{"a":[{"constructor":1}]}',
  '{"prototype":1}',
  deep(100),
  deep(10_000),
  `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
  '\ufeff{"a":1}',
  '{"a":1}x',
  "{'a':1}",
  'NaN',
  'Infinity',
  'undefined',
  '',
  ' ',
  '\0',
  '{"a":1}\n{"v":1,"seq":2}',
  '"a\u2028b"',
  `"${'x'.repeat(3_000_000)}"`,
  `"${'é'.repeat(9_000_000)}"`,
  Buffer.from([0x22, 0xff, 0xfe, 0x22]),
  Buffer.from([0xed, 0xa0, 0x80]),
  `[${Array.from({ length: 50_000 }, (_, i) => i).join()}]`,
])

/** Documents that bite readers of YAML, around a definition that would do. */
const tail = 'states: {a: {steps: {s: {run: "true"}}}, b: {}}\n'
const documents: readonly (string | Buffer)[] = some([
  `name: &a [*a]\n${tail}`,
  'a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\nname: [*f,*f,*f,*f,*f,*f,*f,*f,*f]\n',
  `name: x\nname: y\n${tail}`,
  `name: x\n__proto__: {polluted: 1}\n${tail}`,
  'name: x\nstates: {__proto__: {steps: {}}}\n',
  'name: x\nstates: {a: {steps: {constructor: {run: "true"}}}}\n',
  'name: x\nstates: {a: {steps: {s: {run: "true", env: {__proto__: x, N: .nan}}}}}\n',
  `name: .nan\n${tail}`,
  `name: x\ngoal: .inf\n${tail}`,
  `name: 9007199254740993\n${tail}`,
  `name: x\nmax_parallel: 1e400\n${tail}`,
  'name: x\nstates: {a: {max_parallel: -0, steps: {s: {run: "true", retries: -0}}}}\n',
  `name: !!js/function "function(){}"\n${tail}`,
  `name: !!binary aGk=\n${tail}`,
  `name: 2026-11-21\n${tail}`,
  `name: "\\ud800"\n${tail}`,
  `name: "a\\0b"\n${tail}`,
  `name: ${deep(10_000)}\n${tail}`,
  '',
  '---\n',
  'text\n',
  '- list\n',
  `${tail}---\n${tail}`,
  `? {a: b}\n: c\n${tail}`,
  `1: x\n~: y\n${tail}`,
  `name: x\n\t${tail}`,
  `\ufeffname: x\r\n${tail}`,
  Buffer.from([0x6e, 0xff, 0xfe]),
  Buffer.alloc(100),
  `name: ${'x'.repeat(5_000_000)}\n${tail}`,
  `<<: {name: y}\n${tail}`,
  'name: x\nstates: {"../../out": {steps: {"../s": {run: "true"}}}}\n',
  'name: x\ninitial: __proto__\nstates: {a: {}}\n',
  'name: x\nstates: {a: {next: [toString], steps: {s: {run: "true", needs: [hasOwnProperty]}}}}\n',
])

function newWorkspace(name: string): string {
  const dir = path.join(scratch(name), 'project')
  mkdirSync(dir)
  expect(steadfold(dir, ['init']).status).toBe(0)
  expect(steadfold(dir, ['session', 'create', 'traps']).status).toBe(0)
  return dir
}

const brief = (text: string | Buffer): string => JSON.stringify(text.toString('utf8').slice(0, 60))
const squeeze = (text: string): string => text.replace(/\s/g, '')

/** Refused with a code of ours and its exit status; never a crash. */
function refused({ status, code, stderr }: Command): readonly string[] {
  if (code === '' || code === 'UNEXPECTED') return [`ended with ${status} ${code}: ${stderr.slice(0, 200)}`]
  return [3, 4, 8, 9, 64].includes(status ?? -1) ? [] : [`exit ${status} for ${code}`]
}

/** Puts each text at a place of its own; what was taken must come back as it was, or where it is no JSON as a string. */
function judgeTexts(dir: string): readonly string[] {
  const refusals = texts.map((text, n) => {
    const set = steadfold(dir, ['state', 'set', `$.data.t${n}`, '-'], text)
    return set.status === 0 ? undefined : refused(set)
  })
  const { data, stdout } = steadfold(dir, ['state', 'get', '$.data'])
  // The answer of `state get`.
  const { value } = data as { readonly value: Readonly<Record<string, unknown>> }
  const flat = squeeze(stdout)
  return texts.flatMap((text, n) => {
    const own = text.toString('utf8')
    const back = value[`t${n}`]
    const same = back === own || flat.includes(`"t${n}":${squeeze(own)}`) || sameText(own, back)
    const found = refusals[n] ?? (same ? [] : [`came back as ${JSON.stringify(back)?.slice(0, 200)}`])
    return found.map((finding) => `${brief(text)} ${finding}`)
  })
}

/** Escapes and spellings of a number may differ as long as they mean exactly the same. */
function sameText(own: string, value: unknown): boolean {
  const exact = ['1.0', '1E2', '"\\u0000"', '0.1'].includes(own) || own.includes('\u2028')
  return exact && JSON.stringify(JSON.parse(own)) === JSON.stringify(value)
}

const reads = [
  ['status'],
  ['log'],
  ['verify'],
  ['stats'],
  ['state', 'get', '$'],
  ['session', 'list'],
  ['session', 'show'],
  ['workflow', 'show'],
  ['output', 'list'],
  ['step', 'list'],
]

/** Every command that reads still works. */
const broken = (dir: string): readonly string[] =>
  reads
    .map((args) => ({ args, run: steadfold(dir, args) }))
    .filter(({ run }) => run.status !== 0)
    .map(({ args, run }) => `${args.join(' ')}: ${run.status} ${run.stderr}`)

test.skipIf(subject !== 'product')(
  'JSON texts on the command line are refused with a code or come back the same (P10)',
  () => {
    const dir = newWorkspace('text-traps')
    const found = judgeTexts(dir)
    expect([...found, ...broken(dir)]).toEqual([])
  },
  patience(60, 60),
)

test.skipIf(subject !== 'product')(
  'workflow files are taken or refused with a code, and then every command still works (P10)',
  () => {
    const dir = newWorkspace('workflow-traps')
    const found = documents.flatMap((text, n) => {
      const file = path.join(dir, `trap-${n}.workflow.yaml`)
      writeFileSync(file, text)
      return [steadfold(dir, ['workflow', 'define', file])]
        .filter(({ status }) => status !== 0)
        .flatMap(refused)
        .map((finding) => `${n} ${brief(text)} ${finding}`)
    })
    expect([...found, ...broken(dir)]).toEqual([])
  },
  patience(60, 60),
)
