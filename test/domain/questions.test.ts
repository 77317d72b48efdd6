/* The twenty-five questions of docs/explanation/conversations.md: each is answered, by a test that is there or with a reason. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'explanation', 'conversations.md')
const [, section = ''] = readFileSync(PAGE, 'utf8').split('## Twenty-five questions')
const answers = section.split(/\n(?=\d+\. )/).slice(1)

/** No test can show why there is nothing special. */
const REASONED = [25]

const RULE = /^[A-Z]\d+$/

describe('the questions', () => {
  test('are twenty-five, in order', () => {
    expect(answers.map((answer) => Number.parseInt(answer, 10))).toEqual(Array.from({ length: 25 }, (_, i) => i + 1))
  })

  test.each(answers.map((answer, i) => [i + 1, answer] as const))(
    '%i has an answer whose proof is there',
    (n, answer) => {
      const links = [...answer.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)]
      expect(links.length > 0 || REASONED.includes(n), answer).toBe(true)
      for (const [, label = '', target = ''] of links) {
        const file = join(dirname(PAGE), target)
        expect(existsSync(file), target).toBe(true)
        for (const rule of label.split(', ').filter((word) => RULE.test(word)))
          expect(readFileSync(file, 'utf8'), `${rule} in ${target}`).toMatch(
            new RegExp(`(test|describe)[^\n]*\n?[^\n]*'${rule} `),
          )
      }
    },
  )
})
