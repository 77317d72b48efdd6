import fc from 'fast-check'
import { createScanner, parse, type ParseError, type ParseOptions } from 'jsonc-parser'
import { describe, expect, test } from 'vitest'
import { membersOf } from '../../../kernel/json/members.ts'
import { withTarget, withoutTarget } from './settings.ts'
import { MARK, type Target } from './target.ts'
import { withoutTable, withTable } from './toml.ts'

const hook = (event: string, more = '') => ({ event, command: `sh hook.sh claude${more} ${MARK}` })
const target: Target = {
  file: '/home/ana/.claude/settings.json',
  format: 'json',
  hooks: [hook('SessionStart'), hook('PreToolUse')],
  timeout: 10,
  server: ['node', '/opt/steadfold.cjs', 'mcp'],
  statusLine: `node statusline ${MARK}`,
}

const COMMENTED = `// mine
{
\t"model": "opus", // the large one
\t"hooks": {
\t\t"PreToolUse": [
\t\t\t{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "./check.sh" }] }, /* keep */
\t\t],
\t},
\t"permissions": { "allow": ["Bash(ls:*)"] },
}
`

describe('J1 bytes that are not ours', () => {
  test('J1 comments, tabs, trailing commas and order stay', () => {
    const text = withTarget(COMMENTED, target)
    expect(text).not.toBe(COMMENTED)
    expect(withoutTarget(text, target)).toBe(COMMENTED)
  })

  test('J1 a byte order mark and CRLF stay', () => {
    const text = '\ufeff{\r\n  "model": "opus"\r\n}\r\n'
    const edited = withTarget(text, target)
    expect(edited.startsWith('\ufeff{')).toBe(true)
    expect(edited.replaceAll('\r\n', '')).not.toContain('\n')
  })

  test('J1 what stands in a list that is empty stays', () => {
    const text =
      '{\r\n  "hooks": {\r\n    "PreToolUse": [\r\n      // none yet\r\n    ],\r\n    "SessionStart": [ /* x */ ]\r\n  }\r\n}\r\n'
    const put = withTarget(text, target)
    expect(put).toContain('// none yet')
    expect(put).toContain('/* x */')
    expect(withTarget(put, target)).toBe(put)
    expect(withoutTarget(put, target, text)).toBe(text)
  })

  test('J1 whatever the settings are, every byte is there again when our entries are taken out', () => {
    const settings = fc.record(
      {
        model: fc.string(),
        hooks: fc.dictionary(
          fc.constantFrom('PreToolUse', 'Stop', 'SessionStart'),
          fc.array(fc.record({ hooks: fc.constant([{ type: 'command', command: './mine.sh' }]) })),
        ),
        mcpServers: fc.dictionary(fc.constantFrom('a', 'b', 'steadfold'), fc.record({ command: fc.string() })),
        other: fc.jsonValue(),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(settings, fc.constantFrom(0, 2, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        const put = withTarget(text, target)
        expect(withTarget(put, target)).toBe(put)
        expect(withoutTarget(put, target, text)).toBe(text)
        // Somebody changed it meanwhile.
        const changed = put.replace('{', '{"mine": 1,')
        const member = text === '{}' ? '{"mine": 1' : '{"mine": 1,'
        expect(withoutTarget(changed, target, text)).toBe(text.replace('{', member))
      }),
    )
  })
})

describe('J1 comments that came since', () => {
  test.each([
    ['{ // mine, all of it\n  "hooks": OURS,\n  "model": "opus"\n}', '{ // mine, all of it\n  "model": "opus"\n}'],
    ['{"hooks": OURS /* a, b */, "model": "opus"}', '{ /* a, b */ "model": "opus"}'],
    ['{"model": "opus" /* a, b */, "hooks": OURS}', '{"model": "opus" /* a, b */}'],
    ['{"model": "opus" // a, b\n, "hooks": OURS, "z": 1}', '{"model": "opus" // a, b\n, "z": 1}'],
  ])('J1 one beside what goes stays: %s', (text, rest) => {
    const ours = JSON.stringify(hooksOf(withTarget('{}', target)))
    expect(withoutTarget(text.replace('OURS', ours), target, '{}')).toBe(rest)
  })

  test('J1 wherever they are, what is left is what was there', () => {
    const notes = fc.infiniteStream(fc.constantFrom('', '', '', '/* a, b */', '// a, }\n'))
    const texts = fc.constantFrom('{}', COMMENTED, '{"z": 1, "hooks": {"Stop": []}, "mcpServers": {"a": {}}}')
    fc.assert(
      fc.property(texts, notes, (text, between) => {
        const noted = tokensOf(withTarget(text, target)).map((token) => `${between.next().value}${token}`)
        const [errors, options]: [ParseError[], ParseOptions] = [[], { allowTrailingComma: true }]
        const left: unknown = parse(withoutTarget(noted.join(''), target, text), errors, options)
        expect([errors, left]).toEqual([[], parse(text, [], options)])
      }),
    )
  })
})

const hooksOf = (text: string): unknown => membersOf(parse(text))['hooks']

/** With what stands before each. */
function tokensOf(text: string): readonly string[] {
  const scanner = createScanner(text, true)
  const tokens: string[] = []
  for (let from = 0; from < text.length; from = scanner.getPosition()) {
    scanner.scan()
    tokens.push(text.slice(from, scanner.getPosition()))
  }
  return tokens
}

describe('J3 what was there before', () => {
  const own = JSON.stringify({ hooks: { Stop: [], PreToolUse: [] }, mcpServers: {} })

  test('J3 lists and objects that were empty are empty again; where that is not known they go', () => {
    const put = withTarget(own, { ...target, statusLine: undefined })
    expect(withoutTarget(put, target, own)).toBe(own)
    expect(parse(withoutTarget(put, target))).toEqual({ hooks: { Stop: [] } })
  })

  test('J3 a server of our name stays where it was there, and where it is another by now', () => {
    const mine = '{"mcpServers":{"steadfold":{"command":"node","args":["/mine.js","mcp"]}}}'
    expect(withoutTarget(withTarget(mine, target), target, mine)).toBe(mine)
    const replaced = withTarget('{}', target).replace('/opt/steadfold.cjs', './wrapper.sh')
    expect(parse(withoutTarget(replaced, target, '{}'))).toMatchObject({
      mcpServers: { steadfold: { command: 'node' } },
    })
  })

  test('J3 an entry that somebody put into a group of ours stays', () => {
    const put = withTarget('{}', target)
    const ours = JSON.stringify(hook('SessionStart').command)
    const theirs = put.replace(new RegExp(`(\\{[^{}]*${ours}[^{}]*\\})`), '$1,{"type":"command","command":"./mine.sh"}')
    expect(theirs).not.toBe(put)
    expect(parse(withoutTarget(theirs, target, '{}'))).toEqual({
      hooks: { SessionStart: [{ hooks: [{ type: 'command', command: './mine.sh' }] }] },
    })
  })
})

describe('J2 entries of ours', () => {
  test('J2 what another version put in is replaced', () => {
    const older = withTarget('{}', { ...target, hooks: [hook('PreToolUse', ' --old'), hook('Gone')] })
    const { hooks } = parse(withTarget(older, target)) as { hooks: Record<string, unknown[]> }
    expect(Object.keys(hooks).toSorted()).toEqual(['PreToolUse', 'SessionStart'])
    expect(hooks['PreToolUse']).toHaveLength(1)
    expect(JSON.stringify(hooks)).not.toContain('--old')
  })

  test('J2 a status line and a server that are there stay', () => {
    const mine = { statusLine: { type: 'command', command: './mine.sh' }, mcpServers: { steadfold: { command: 'x' } } }
    expect(parse(withTarget(JSON.stringify(mine), target))).toMatchObject(mine)
  })
})

test('J5 settings among the hooks stay, and hooks are put in and taken out beside them', () => {
  const own = {
    enabled: true,
    disabled: ['./slow.sh', `sh hook.sh ${MARK}`],
    notifications: { Stop: 'loud' },
    Gone: null,
  }
  const text = JSON.stringify({ hooks: own }, null, 2)
  const put = withTarget(text, target)
  expect(parse(put)).toMatchObject({ hooks: { ...own, PreToolUse: [{}], SessionStart: [{}] } })
  expect(withTarget(put, target)).toBe(put)
  expect(withoutTarget(put, target, text)).toBe(text)
  expect(withoutTarget(put, target)).toBe(text)
})

test.each([
  ['[]', 'it holds no object'],
  ['"text"', 'it holds no object'],
  ['{"hooks": []}', '"hooks" is no object'],
  ['{"hooks": {"PreToolUse": {}}}', '"hooks.PreToolUse" is no list'],
  ['{"hooks": {"PreToolUse": null}}', '"hooks.PreToolUse" is no list'],
  ['{"hooks": {}, "hooks": {}}', '"hooks" is there twice'],
  ['{"hooks": {"Mine": [], "Mine": []}}', '"hooks.Mine" is there twice'],
  ['{"mcpServers": {}, "mcpServers": {}}', '"mcpServers" is there twice'],
  ['{"mcpServers": []}', '"mcpServers" is no object'],
  ['{"mcpServers": "none"}', '"mcpServers" is no object'],
  ['{"mcpServers": null}', '"mcpServers" is no object'],
  ['{\n  "a": \n', 'it is no JSON at'],
  ['<<<<<<< ours', 'it is no JSON at 1:1'],
])('J4 %j is refused', (text, why) => {
  expect(() => withTarget(text, target)).toThrow(why)
})

describe('TOML', () => {
  const toml: Target = { ...target, file: '/home/ana/.codex/config.toml', format: 'toml' }

  test.each([
    '',
    'model = "o3"\n',
    'model = "o3"',
    '# c\r\n[mcp_servers.other]\r\ncommand = "x"\r\n',
    "'mcp_servers'.a.command = 'x'\n",
    'most = 9223372036854775807\n',
    'notes = """\n[mcp_servers.steadfold]\n"""\n',
  ])('J1 %j is there before the table, once, and again after it was taken out', (text) => {
    const put = withTable(text, toml)
    expect(put.startsWith(text)).toBe(true)
    expect(put.slice(text.length).split('[mcp_servers.steadfold]')).toHaveLength(2)
    expect(withTable(put, toml)).toBe(put)
    expect(withoutTable(put, text)).toBe(text)
    expect(withoutTable(`mine = 1\n${put}`, text)).toBe(`mine = 1\n${text}`)
    expect(withoutTable(`${put}[mine]\n`, text)).toContain('[mine]\n')
  })

  test('J2 a table that is there stays, and one of another version is replaced', () => {
    const mine = '[mcp_servers.steadfold]\ncommand = "mine"\n'
    expect(withTable(mine, toml)).toBe(mine)
    const older = withTable('', { ...toml, server: ['node', '/old', 'mcp'] })
    expect(withTable(older, toml)).toBe(withTable('', toml))
  })

  test.each([
    '[mcp_servers]\nother = { command = "x" }\nsteadfold = { command = "mine" }\n',
    '[mcp_servers]\n\n"steadfold".command = "mine"\n',
    '["mcp_servers".\'steadfold\']\ncommand = "mine"\n',
  ])('J2 a server of our name stays however it is written: %j', (mine) => {
    expect(withTable(mine, toml)).toBe(mine)
    expect(withoutTable(mine)).toBe(mine)
  })

  test('J1 a table that Codex put before our last mark stays', () => {
    const theirs = '\n# trusted\n[projects."/work"]\ntrust_level = "trusted"\n'
    const put = withTable('model = "o3"\n', toml).replace(`${MARK} end`, `${theirs}$&`)
    expect(put).toContain('trusted')
    expect(withTable(put, toml)).toBe(put)
    expect(withoutTable(put)).toBe(`model = "o3"\n${theirs}`)
    expect(withTable(put, { ...toml, server: ['node', '/new', 'mcp'] })).toContain(`model = "o3"\n${theirs}`)
  })

  test('J2 what belongs to our server goes with it, and so does a last line without an end', () => {
    const put = withTable('', toml).replace(`${MARK} end\n`, '[mcp_servers.steadfold.env]\nA = "b"\n$&')
    expect(withoutTable(put)).toBe('')
    expect(withoutTable(withTable('a = 1\n', toml).trimEnd())).toBe('a = 1\n')
  })

  test.each([
    'mcp_servers = { a = { command = "x" } }\n',
    '"mcp_servers" = { a = { command = "x" } }\n',
    '[[mcp_servers]]\ncommand = "x"\n',
  ])('J4 servers that no table can follow are refused: %j', (text) => {
    expect(() => withTable(text, toml)).toThrow('a form that a table cannot follow')
  })

  test.each(['model = o3\n', '[a]\n[a]\n', '<<<<<<< ours\n'])(
    'J4 what Codex could not read, either, is refused: %j',
    (text) => {
      expect(() => withTable(text, toml)).toThrow(/it is no TOML at \d:\d/)
    },
  )
})
