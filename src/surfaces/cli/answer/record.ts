/*
 * One thing with its members, for people: a line each, and what is nested or has several lines below it, indented. What is
 * empty is left out.
 */
import { isMembers } from '../../../kernel/json/members.ts'
import type { Context } from '../context/context.ts'
import { rowsText, type Page } from '../show/rows.ts'
import { brief, columns, cut, momentOf, plain, plainLines } from '../show/text.ts'

const INDENT = '  '

/** Undefined for what is no object. */
export function recordText(context: Page, value: unknown): string | undefined {
  if (!isMembers(value)) return undefined
  const shown = Object.entries(value).filter(([, each]) => !isEmpty(each))
  if (shown.length === 0) return 'nothing'
  const heads = shown.filter(([, each]) => isFlat(each))
  const texts = shown.filter(([, each]) => !isFlat(each))
  const lines = columns(
    heads.map(([name, each]) => [spoken(name), momentOf(name, each) ?? flatText(each)]),
    { width: context.io.width },
  )
  return [
    ...lines.map((line, i) => line.replace(spoken(heads[i]?.[0] ?? ''), (head) => context.paint.dim(head))),
    ...texts.flatMap(([name, each]) => [context.paint.dim(spoken(name)), below(context, each)]),
  ].join('\n')
}

function below({ paint, io, now }: Page, value: unknown): string {
  const narrower = { paint, io: { width: io.width - INDENT.length }, now }
  const text = isLines(value)
    ? plainLines(value)
    : (rowsText(narrower, value) ?? recordText(narrower, value) ?? brief(value, io.width))
  return text
    .split('\n')
    .map((line) => INDENT + line)
    .join('\n')
}

/** `task why`: the answer, then the chain that leads to it. */
export function whyText(page: Page & Pick<Context, 'kept'>, value: unknown): string | undefined {
  if (!isMembers(value) || !Array.isArray(value['chain'])) return undefined
  const { paint, io } = page
  const chain = value['chain'].filter(isMembers)
  const rows = chain.map(({ depth, id, title, why }) => [
    `${INDENT.repeat(Number(depth) + 1)}${plain(String(id))}`,
    cut(plain(flatText(title)), 30),
    plain(flatText(why)),
  ])
  const next = chain.map((each) => each['next']).find((each) => typeof each === 'string')
  return [
    plain(String(value['because'])),
    ...columns(rows, { width: io.width }),
    ...(next === undefined ? [] : [paint.dim(`next: ${plain(page.kept(String(next)))}`)]),
  ].join('\n')
}

const isLines = (value: unknown): value is string => typeof value === 'string' && value.includes('\n')

const isFlat = (value: unknown): boolean =>
  (typeof value !== 'object' && !isLines(value)) ||
  (Array.isArray(value) && value.every((each) => typeof each !== 'object'))

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && Object.values(value).every((each) => isEmpty(each)))

const flatText = (value: unknown): string =>
  plain(Array.isArray(value) ? value.map(String).join(', ') : typeof value === 'string' ? value : JSON.stringify(value))

const spoken = (name: string): string => plain(name.replaceAll('_', ' '))
