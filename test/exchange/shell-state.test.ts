/* S1 to S6: state files of shells. */
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { detect } from '../../src/domain/imports/registry.ts'
import * as files from './files.ts'
import { imported, planOf } from './taken.ts'

test('S1 to S3 a state file of a shell is read as data, with what is wrong in it', async () => {
  const plan = planOf(files.shellFile)
  expect(plan.problems).toEqual([
    'line 3: REPORTS spans 4 lines',
    'line 3: REPORTS has quotes inside that are not escaped',
    'line 12: RUN has a $ that a shell would expand; it is text here',
    'line 14: CUT has no closing quote: it was cut off',
    'CURRENT_STATE is assigned 2 times, with 2 values; the last counts',
    'line 13 assigns nothing',
  ])
  const { session } = await imported(plan)
  expect(session.get('$.workflow')).toMatchObject({ current: 'plan', completed: ['initialize', 'research'] })
  const outputs = JSON.stringify(session.get('$.outputs'))
  expect(outputs).toContain('costs $5 and \\"more\\"')
  expect(outputs).toContain('$(touch /tmp/never-made)')
  expect(existsSync('/tmp/never-made')).toBe(false)
})

test('a state file that was written over says so', () => {
  const plan = planOf(files.text('workflow_x.sh', 'export WORKFLOW="A"\n'))
  expect(plan.problems).toEqual(['there is no WORKFLOW_ID: the file was cut short, or written over'])
})

test.each([
  ['stands still', 'research', { last_error: 'no reports', failed_state: 'research', retry_count: 2 }],
  ['went on', 'plan', null],
])('a state file whose work failed and %s', async (_, last, error) => {
  const lines = [
    ['WORKFLOW_ID', 'shed'],
    ['CURRENT_STATE', 'initialize'],
    ['CURRENT_STATE', 'research'],
    ['FAILED_STATE', 'research'],
    ['LAST_ERROR', 'no reports'],
    ['RETRY_COUNT_research', '2'],
    ['CURRENT_STATE', last],
    ['COMPLETED_STATES_COUNT', '1'],
    ['COMPLETED_STATE_0', last],
  ].map(([name, value]) => `export ${name}="${value}"\n`)
  const { session } = await imported(planOf(files.text('workflow_shed.sh', lines.join(''))))
  const completed = ['initialize', ...(last === 'plan' ? ['research'] : [])]
  expect(session.get('$.workflow')).toMatchObject({ current: last, completed, error })
  expect(session.get('$.outputs.FAILED_STATE')).toBeDefined()
})

test.each(['research', 'dreaming'])(
  'a state file whose state is %s keeps its description as a value, too',
  async (state) => {
    const text = `export WORKFLOW_ID="shed"\nexport WORKFLOW_DESCRIPTION="Mend the shed"\nexport CURRENT_STATE="${state}"\n`
    const { session } = await imported(planOf(files.text('workflow_shed.sh', text)))
    expect(session.get('$.session.goal')).toBe('Mend the shed')
    expect(session.get('$.outputs.WORKFLOW_DESCRIPTION')).toBe('Mend the shed')
  },
)

test('S6 comments say nothing, wherever they stand', async () => {
  const text = [
    '#!/bin/sh',
    '# state of the shed',
    '',
    'export WORKFLOW_ID="shed" # its name',
    "export PLAN='a # b'  ",
    'export COUNT=3 # three',
    '  # indented',
    'export TITLE="say \\"#1\\"" # the "title"',
    'export CURRENT_STATE="research"',
    '',
  ].join('\n')
  const plan = planOf(files.text('workflow_shed.sh', text))
  expect(plan).toMatchObject({ kind: 'shell-state', group: 'shed', problems: [] })
  const { session } = await imported(plan)
  const outputs = { PLAN: 'a # b', COUNT: '3', TITLE: 'say "#1"' }
  for (const [name, value] of Object.entries(outputs)) expect(session.get(`$.outputs.${name}`)).toBe(value)
  expect(session.get('$.workflow.current')).toBe('research')
})

test('S6 ends of lines of another system are no part of a value', async () => {
  const text = '# state\nexport WORKFLOW_ID="shed"\nexport NOTE="one\ntwo"\nexport CURRENT_STATE=research\n'
  const plan = planOf(files.text('workflow_shed.sh', text.replaceAll('\n', '\r\n')))
  expect(plan).toMatchObject({ group: 'shed', problems: ['line 3: NOTE spans 2 lines'] })
  const { session } = await imported(plan)
  expect(session.get('$.outputs.NOTE')).toBe('one\ntwo')
  expect(session.get('$.workflow.current')).toBe('research')
})

test('S6 a program that assigns something behind a comment is no state file', () => {
  const text = '#!/bin/sh\n# deploy\nexport TARGET="prod"\n./deploy "$TARGET"\n'
  expect(detect([files.text('deploy.sh', text)])).toMatchObject({ plans: [], unknown: [{ path: 'deploy.sh' }] })
})
