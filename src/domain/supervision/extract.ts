/*
 * What is handed on of a report, by rule. The same text always gives the same.
 *
 * E1. Title: `title` of the front matter; else the first heading of level 1; else the first heading; else the beginning of
 *     the first text; else the worker's topic. At most 12 words.
 * E2. Summary: `summary` or `description` of the front matter; else the text of the first section called Summary,
 *     Executive summary, Abstract, Overview, TL;DR or In short; else the first paragraph; else the first list items.
 *     At most 50 words.
 * E3. Findings: of the first section called Findings, Key findings, Results, Conclusions, Recommendations, Takeaways or
 *     Highlights, with or without a word before or behind it: its list items, else its sub-headings, else the first
 *     sentences of its paragraphs. Without such a section: the first list items outside the summary. The first two, each
 *     of at most 30 words.
 * E4. What the worker gives itself is taken instead, cut to the same lengths.
 */
import type { Report } from './events.ts'
import { plainText, readMarkdown, type Block } from './markdown.ts'
import { firstWords } from './words.ts'

const MOST_FINDINGS = 2
/** Words, and characters. */
const MOST = {
  title: { words: 12, letters: 160 },
  summary: { words: 50, letters: 800 },
  finding: { words: 30, letters: 400 },
} as const

const SUMMARY = /^(?:\W*\d+[.)]?\s*)?(?:executive )?(?:summary|abstract|overview|tl;?dr|in short)\b/iu
const FINDINGS =
  /^(?:\W*\d+[.)]?\s*)?(?:\p{L}+ ){0,2}(?:findings?|results?|conclusions?|recommendations?|take-?aways?|highlights?)\b/iu

export interface Given {
  readonly title?: string | undefined
  readonly summary?: string | undefined
  readonly key_findings?: readonly string[] | undefined
}

export type Described = Pick<Report, 'title' | 'summary' | 'key_findings' | 'by_rule'>

/** E4. `text` is the report, or undefined when there is none. */
export function describeReport(text: string | undefined, given: Given, topic: string): Described {
  const ruled = extract(text ?? '', topic)
  const { title, summary, key_findings } = given
  const own = {
    ...(title === undefined ? {} : { title: cut('title', plainText(title)) }),
    ...(summary === undefined ? {} : { summary: cut('summary', plainText(summary)) }),
    ...(key_findings === undefined ? {} : { key_findings: findings(key_findings.map(plainText)) }),
  }
  const by_rule = text === undefined ? [] : MEMBERS.filter((member) => !Object.hasOwn(own, member))
  return { ...ruled, ...own, by_rule }
}

const MEMBERS = ['title', 'summary', 'key_findings'] as const

/** E1–E3. */
export function extract(markdown: string, topic: string): Omit<Described, 'by_rule'> {
  const { front, blocks } = readMarkdown(markdown)
  const about = sectionOf(blocks, SUMMARY)
  return {
    title: cut('title', titleOf(front['title'], blocks) ?? topic),
    summary: cut('summary', front['summary'] ?? front['description'] ?? summaryOf(about, blocks)),
    key_findings: findings(findingsOf(blocks, about)),
  }
}

const cut = (what: keyof typeof MOST, text: string): string => firstWords(text, MOST[what].words, MOST[what].letters)

const findings = (texts: readonly string[]): readonly string[] =>
  texts
    .map((text) => cut('finding', text))
    .filter((text) => text !== '')
    .slice(0, MOST_FINDINGS)

const isHeading = ({ kind }: Block): boolean => kind === 'heading'

function titleOf(front: string | undefined, blocks: readonly Block[]): string | undefined {
  const headings = blocks.filter(isHeading)
  return front ?? (headings.find(({ level }) => level === 1) ?? headings[0] ?? blocks[0])?.text
}

/** The blocks behind the first heading of such a name, up to the next of its level or a higher one. */
function sectionOf(blocks: readonly Block[], name: RegExp): readonly Block[] {
  const at = blocks.findIndex((block) => isHeading(block) && name.test(block.text))
  const level = blocks[at]?.level
  if (level === undefined) return []
  const rest = blocks.slice(at + 1)
  const end = rest.findIndex((block) => isHeading(block) && block.level <= level)
  return end < 0 ? rest : rest.slice(0, end)
}

function summaryOf(about: readonly Block[], blocks: readonly Block[]): string {
  const said = about.filter((block) => !isHeading(block))
  if (said.length > 0) return joined(said.map(({ text }) => text))
  const paragraph = blocks.find(({ kind }) => kind === 'paragraph')
  if (paragraph !== undefined) return paragraph.text
  return joined(topItems(blocks).slice(0, 3))
}

/** Texts that are put one behind the other need an end. */
const joined = (texts: readonly string[]): string =>
  texts.map((text) => (texts.length === 1 || /[\p{P}]$/u.test(text) ? text : `${text}.`)).join(' ')

function findingsOf(blocks: readonly Block[], about: readonly Block[]): readonly string[] {
  const section = sectionOf(blocks, FINDINGS)
  if (section.length === 0) return topItems(blocks.filter((block) => !about.includes(block)))
  const heading = section.findIndex(isHeading)
  const items = topItems(heading < 0 ? section : section.slice(0, heading))
  if (items.length > 0) return items
  if (heading >= 0) return section.filter(isHeading).map(({ text }) => text)
  return section.map(({ text }) => firstSentence(text))
}

const topItems = (blocks: readonly Block[]): readonly string[] =>
  blocks.filter(({ kind, level }) => kind === 'item' && level === 0).map(({ text }) => text)

const firstSentence = (text: string): string => /^.{1,1000}?(?:[.!?](?=\s)|[。！？])/u.exec(text)?.[0] ?? text
