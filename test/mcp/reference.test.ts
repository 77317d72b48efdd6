/* docs/reference/mcp.md says what the server offers. GOLDEN=write makes it anew. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { expect, test } from 'vitest'
import { operations } from '../../src/compose/operations.ts'
import { sharedSchema } from '../../src/surfaces/mcp/arguments.ts'
import { VIEWS } from '../../src/surfaces/mcp/chosen.ts'
import { PROMPTS } from '../../src/surfaces/mcp/prompts.ts'
import { toolsOf, type Tool } from '../../src/surfaces/mcp/tools.ts'
import { INBOX, TEMPLATES } from '../../src/surfaces/mcp/uris.ts'

const file = path.join(import.meta.dirname, '../../docs/reference/mcp.md')

const INTRODUCTION = `# MCP

\`steadfold mcp\` speaks the Model Context Protocol on stdin and stdout; the daemon answers at \`/mcp\`. Both serve revision 2026-07-28
and the handshakes of 2025-11-25 and before. [How to set it up](../how-to/mcp.md). This page is made from the program, by
\`test/mcp/reference.test.ts\`.`

const BETWEEN = `An answer is \`{ session, seq, value }\`, for lists \`{ session, seq, items, total, next_cursor }\`, for writes with the types of the
\`events\` that were written. All pages of a list show it as it was at one commit. What a rule refuses is a result with
\`isError\`: the code, what is wrong, and the next move; \`_meta["steadfold/error"]\` has the same as data. What fails (the store cannot
be reached, a log is damaged) is an error of the protocol. Answers over 100,000 characters are refused with the members to ask for.`

const page = async () => `${INTRODUCTION}

## Tools

${table(['tool', 'kind', 'what it does', 'arguments'], (await toolsOf(operations)).map(toolRow))}

Every tool takes some of these besides, ${VIEWS.map((view) => `\`${view.replace('.', '_')}\``).join(' and ')} \`session\` alone:

${table(['argument', 'of', 'meaning'], sharedRows())}

${BETWEEN}

## Resources

${table(
  ['URI', 'what stands there'],
  [
    [INBOX, 'What needs a person, and what goes on'],
    ...TEMPLATES.map(({ uriTemplate, description = '' }) => [uriTemplate, description]),
  ].map(([uri = '', said = '']) => [`\`${uri}\``, said]),
)}

Each can be followed: \`resources/subscribe\`, or \`subscriptions/listen\` since 2026-07-28. A notification comes for commits that concern
what is shown; many at a time are one. \`{+path}\` has a slash where a path of the state has a dot. Words of templates and prompts are completed.
Over HTTP a client of the older handshakes hears of changes while its stream of \`GET\` is open, and reads on behind \`Last-Event-ID\` after a
break; what changed before the stream was opened for the first time is not told.

## Prompts

${table(
  ['prompt', 'what it says', 'arguments'],
  PROMPTS.map(({ name, description = '', arguments: takes = [] }) => [
    `\`${name}\``,
    description,
    takes.map((each) => `\`${each.name}\``).join(', '),
  ]),
)}
`

function toolRow({
  described: { name, description = '', annotations, inputSchema },
  use,
  fields,
}: Tool): readonly string[] {
  const { required = [] } = inputSchema
  const kind = use !== 'write' ? 'reads' : annotations?.destructiveHint === true ? 'replaces' : 'writes'
  const again = use === 'write' && annotations?.idempotentHint === true ? ', idempotent' : ''
  return [
    `\`${name}\``,
    `${kind}${again}`,
    description,
    fields.map((field) => `\`${field}\`${required.includes(field) ? '' : '?'}`).join(' '),
  ]
}

function sharedRows(): readonly (readonly string[])[] {
  const uses = ['read', 'list', 'write'] as const
  const schemas = uses.map((use) => [use, sharedSchema(use)] as const)
  const names = [...new Set(schemas.flatMap(([, schema]) => Object.keys(schema)))]
  return names.map((name) => {
    const of = schemas.filter(([, schema]) => name in schema)
    const { description } = (of[0]?.[1][name] ?? {}) as { readonly description?: string }
    const whose = of.length === uses.length ? 'all' : of.map(([use]) => `${use}s`).join(', ')
    return [`\`${name}\``, whose, description ?? '']
  })
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')

test('docs/reference/mcp.md is what the program says', async () => {
  const text = await page()
  if (process.env['GOLDEN'] === 'write') fs.writeFileSync(file, text)
  expect(fs.readFileSync(file, 'utf8')).toBe(text)
})
