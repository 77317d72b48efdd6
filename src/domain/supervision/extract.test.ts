import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { describeReport, extract } from './extract.ts'
import { firstWords, wordsIn } from './words.ts'

const TITLES: readonly (readonly [rule: string, markdown: string, title: string])[] = [
  ['front matter', '---\ntitle: "Auth: how"\n---\n# Other\n', 'Auth: how'],
  ['the first heading of level 1', '## Part\n\n# Auth\n', 'Auth'],
  ['the first heading, when none has level 1', 'text\n\n### Part\n', 'Part'],
  ['an underlined heading', 'Auth\n====\n', 'Auth'],
  ['an underlined heading of level 2', 'text\n\nAuth\n---\n', 'Auth'],
  ['the beginning of the first text', 'One two three.\n\nmore', 'One two three.'],
  ['the first item, when there is nothing else', '- one\n- two', 'one'],
  ['the topic, when there is no text', ' \n\n', 'topic'],
  ['no closing marks', '# Auth ##\n', 'Auth'],
  ['an empty heading is none', '#\n\n## Auth', 'Auth'],
  ['a heading needs a space', '#no\n\n# Yes', 'Yes'],
  ['markup is taken off', '# **Auth** `x_y` [link](http://a.b "t") ![i](j.png) <b>z</b>', 'Auth x_y link i z'],
  ['escapes are taken off', '# a \\* b \\_ c', 'a * b _ c'],
  ['at most twelve words', '# 1 2 3 4 5 6 7 8 9 10 11 12 13', '1 2 3 4 5 6 7 8 9 10 11 12…'],
  ['a heading in a code fence is none', '```\n# no\n```\n# Yes', 'Yes'],
  ['a fence ends only at one as long', '~~~~\n# no\n~~~\n# no\n~~~~\n# Yes', 'Yes'],
  ['a heading in a comment is none', '<!-- \n# no\n-->\n# Yes', 'Yes'],
  ['a byte order mark is passed over', '\ufeff# Auth', 'Auth'],
  ['line ends of all kinds', '# Auth\r\n\r\ntext\rmore', 'Auth'],
  ['front matter without an end is none', '---\ntitle: no\n# Yes', 'Yes'],
  ['a value of many lines is left to YAML', '---\ntitle: >\n  no\n---\n# Yes', 'Yes'],
  ['letters that steer a terminal are taken out', '# A\u202eB\u0007C\u001b[31m', 'A B C [31m'],
]

const SUMMARIES: readonly (readonly [rule: string, markdown: string, summary: string])[] = [
  ['front matter', '---\nsummary: short\n---\nlong', 'short'],
  ['a description in the front matter', '---\nDescription: short\n---\nlong', 'short'],
  ['the section of that name', '# T\n\nintro\n\n## Summary\n\nwhat\n\n## Next\n\nno', 'what'],
  ['a numbered executive summary', '# T\n\nintro\n\n## 1. Executive Summary\n\nwhat', 'what'],
  ['TL;DR', 'intro\n\n### TL;DR\n\nwhat\n\n# Next', 'what'],
  ['several paragraphs and items of it', '## Overview\n\none\n\n- two\n- three', 'one. two. three.'],
  ['a deeper heading belongs to it', '## Summary\n\n### Part\n\nwhat', 'what'],
  ['the first paragraph', '# T\n\n- item\n\nfirst\nline\n\nsecond', 'first line'],
  ['a quote is no paragraph', '> quoted\nstill quoted\n\nfirst', 'first'],
  ['a table is no paragraph', '| a | b |\n|---|---|\n| c | d |\n\nfirst', 'first'],
  ['HTML is no paragraph', '<div>\nno\n</div>\n\nfirst', 'first'],
  ['indented code is no paragraph', '    code\n\nfirst', 'first'],
  ['a rule and a link definition are no paragraphs', '* * *\n\n[a]: http://x\n\nfirst', 'first'],
  ['items, when there is no paragraph', '# T\n\n1. one\n2. two\n3. three\n4. four', 'one. two. three.'],
  ['nothing', '# T\n', ''],
  ['nothing of an unclosed fence', '```js\nlet a = 1\n', ''],
  ['a word that only contains it is no summary', '# Summarysmith\n\nfirst\n\n## Other\n\nno', 'first'],
]

const FINDINGS: readonly (readonly [rule: string, markdown: string, findings: readonly string[]])[] = [
  ['the first two items', '## Key findings\n\n- a\n- b\n- c', ['a', 'b']],
  ['numbered items', '## Findings\n\n1. a\n2) b', ['a', 'b']],
  ['items that go on', '## Findings\n\n- a\n  b\n- [x] c', ['a b', 'c']],
  ['nested items are part of theirs', '## Results\n\n- a\n  - deep\n    - deeper\n- b', ['a', 'b']],
  ['words around the name', '## Security findings of today\n\n- a', ['a']],
  ['numbered sections', '## 3. Recommendations\n\n* a\n+ b', ['a', 'b']],
  ['sub-headings, when there is no list before them', '## Findings\n\n### One\n\n- x\n\n### Two\n', ['One', 'Two']],
  [
    'first sentences of paragraphs',
    '## Conclusions\n\nIt works. More.\n\nIt is slow! Why?',
    ['It works.', 'It is slow!'],
  ],
  ['without such a section, the first items', '# T\n\ntext\n\n- a\n- b', ['a', 'b']],
  ['but none of the summary', '## Summary\n\n- no\n\n## Other\n\n- a', ['a']],
  ['none', '# T\n\ntext', []],
  ['empty items are none', '## Findings\n\n-\n- \n- a', ['a']],
  ['the section ends at the next', '## Findings\n\n- a\n\n## Other\n\n- b', ['a']],
  ['code in between is passed over', '## Findings\n\n- a\n\n```\n- no\n```\n\n- b', ['a', 'b']],
]

describe('E1 the title', () => {
  test.each(TITLES)('E1 %s', (_, markdown, title) => expect(extract(markdown, 'topic').title).toBe(title))
})

describe('E2 the summary', () => {
  test.each(SUMMARIES)('E2 %s', (_, markdown, summary) => expect(extract(markdown, 'topic').summary).toBe(summary))

  test('E2 fifty words in every script', () => {
    expect(wordsIn(extract('word '.repeat(80), 't').summary)).toBe(50)
    const chinese = extract(`# 报告\n\n${'我们研究了身份验证模式。'.repeat(40)}`, 't').summary
    expect(wordsIn(chinese)).toBe(50)
    expect(chinese.endsWith('…')).toBe(true)
    const thai = extract('เราศึกษารูปแบบการยืนยันตัวตน'.repeat(30), 't').summary
    expect(wordsIn(thai)).toBeLessThanOrEqual(50)
  })
})

describe('E3 the findings', () => {
  test.each(FINDINGS)('E3 %s', (_, markdown, found) => expect(extract(markdown, 'topic').key_findings).toEqual(found))
})

test('E4 what the worker gives is taken instead, cut to the same lengths', () => {
  const given = { summary: 'word '.repeat(60), key_findings: ['**one**', '', 'two', 'three'] }
  const report = describeReport('# T\n\ntext\n', given, 'topic')
  expect(report).toMatchObject({ title: 'T', key_findings: ['one', 'two'], by_rule: ['title'] })
  expect(wordsIn(report.summary)).toBe(50)
  expect(describeReport(undefined, { title: 'X' }, 'topic')).toEqual({
    title: 'X',
    summary: '',
    key_findings: [],
    by_rule: [],
  })
})

const HOSTILE: readonly string[] = [
  '['.repeat(50_000),
  '*a'.repeat(50_000),
  '<!--'.repeat(50_000),
  '<!---->'.repeat(30_000),
  '- '.repeat(50_000),
  '> '.repeat(50_000),
  '`'.repeat(50_001),
  '[a]('.repeat(30_000),
  '<a '.repeat(30_000),
  '- x\n'.repeat(60_000),
  '#'.repeat(60_000),
  '\n'.repeat(300_000),
  'a'.repeat(300_000),
  '漢'.repeat(100_000),
  '\ud800'.repeat(1000),
  `---\n${'title: x\n'.repeat(20_000)}`,
  `# ${'_ '.repeat(50_000)}`,
  `${' '.repeat(100_000)}x`,
]

const bounded = ({ title, summary, key_findings }: ReturnType<typeof extract>): boolean =>
  wordsIn(title) <= 12 &&
  wordsIn(summary) <= 50 &&
  summary.split(/\s+/).length <= 50 &&
  summary.length <= 801 &&
  key_findings.length <= 2 &&
  [title, summary, ...key_findings].every((text) => text.isWellFormed() && !/[\p{Cc}\u202a-\u202e]/u.test(text))

describe('S7 whatever the text, what is handed on is short and plain', () => {
  test.each(HOSTILE.map((text) => [JSON.stringify(text.slice(0, 12)), text] as const))('S7 %s…', (_, text) => {
    expect(bounded(extract(text, 'topic'))).toBe(true)
  })

  test('S7 any text', () => {
    const piece = fc.constantFrom(
      '# ',
      '## Findings\n',
      '- ',
      '\n',
      '\n\n',
      '```',
      '<!--',
      '-->',
      '> ',
      '| ',
      '**',
      '_',
      '[',
      '](',
      '---\n',
      '===\n',
      'word ',
      '漢字',
      '\u202e',
      '\\',
      '    ',
      '\t',
    )
    const text = fc.array(fc.oneof(piece, fc.string({ unit: 'binary', maxLength: 8 })), { maxLength: 60 })
    fc.assert(
      fc.property(text, (parts) => bounded(extract(parts.join(''), 'topic'))),
      { numRuns: 500 },
    )
  })
})

test('words are cut at their ends, and a word that is too long anywhere but in a letter', () => {
  expect(firstWords('one two three', 2, 100)).toBe('one two…')
  expect(firstWords('one two three', 9, 8)).toBe('one two…')
  expect(firstWords('one, two', 1, 100)).toBe('one…')
  expect(firstWords('', 2, 100)).toBe('')
  expect(firstWords('😀'.repeat(100), 2, 9).isWellFormed()).toBe(true)
  expect([wordsIn('a - b'), wordsIn('日本語のテスト'), wordsIn("don't")]).toEqual([3, 3, 1])
})
