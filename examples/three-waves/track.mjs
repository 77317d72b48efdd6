/*
 * One track: makes its file and writes a report about it. `server` fails while contract.json lacks what it needs.
 *   node track.mjs schema|theme|server|form|tests
 */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

const PACE_MS = Number(process.env.TRACK_PACE_MS ?? 150)
const name = process.argv[2]
const fields = ['email', 'password']

/** What each track makes, how long it takes, and what it found on the way. */
const TRACKS = {
  schema: {
    file: 'schema.json',
    pace: 2,
    make: () => JSON.stringify({ fields }),
    findings: ['both fields are needed', 'an email has at most 254 characters', 'a password is never kept as text'],
  },
  theme: { file: 'theme.css', pace: 1, make: () => 'form { display: grid }\n', findings: ['one column is enough'] },
  server: {
    file: 'server.mjs',
    pace: 3,
    make: () => `export const fields = ${JSON.stringify(contract().fields)}\n`,
    findings: ['the contract names what the schema names', 'wrong passwords want a limit'],
  },
  form: {
    file: 'form.html',
    pace: 1,
    make: () =>
      `<form>${built('schema.json')
        .fields.map((field) => `<input name="${field}">`)
        .join('')}</form>\n`,
    findings: ['the form is made of the schema', 'labels are missing'],
  },
  tests: {
    file: 'tests.txt',
    pace: 1,
    make: () => `${fields.length} fields on both sides\n`,
    findings: ['server and form agree'],
  },
}

const built = (file) => JSON.parse(readFileSync(`build/${file}`, 'utf8'))

function contract() {
  const given = JSON.parse(readFileSync('contract.json', 'utf8'))
  const missing = built('schema.json').fields.filter((field) => !given.fields.includes(field))
  if (missing.length > 0) throw new Error(`contract.json lacks ${missing.join(', ')}`)
  return given
}

const report = ({ file, findings }, text) => `# Track ${name}

## Summary

The track ${name} made ${file} with ${text.length} characters; ${findings.length} things were found on the way.

## Findings

${findings.map((finding) => `- ${finding}`).join('\n')}

## Log

${findings.map((finding) => `It was looked at again and again whether ${finding}, from every side, until nothing was left to ask. `.repeat(6)).join('\n\n')}

\`\`\`
${text}
\`\`\`
`

const track = TRACKS[name]
if (track === undefined) {
  console.error(`track: one of ${Object.keys(TRACKS).join(', ')}`)
  process.exit(64)
}
mkdirSync('build/reports', { recursive: true })
appendFileSync('build/ran.txt', `${name}\n`)
await setTimeout(track.pace * PACE_MS)
try {
  const text = track.make()
  writeFileSync(`build/${track.file}`, text)
  writeFileSync(`build/reports/${name}.md`, report(track, text))
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
