import { expect, test, vi } from 'vitest'
import { effect, projectForEachTest } from '../../test/runner/project.ts'

const project = projectForEachTest()
const { run, told } = project

/** One step that ends as given, and one beside it. */
const beside = (command: string, more: object = {}) => ({
  name: 'odd',
  states: { only: { min_success: 0, steps: { odd: { run: command, ...more }, good: { run: effect('good') } } } },
})

test('F1 a reason that is too long is cut between characters', async () => {
  const command = `echo "STEADFOLD_FAILURE=terminal:${'q'.repeat(499)}🚀" >> "$STEADFOLD_OUTPUT"; exit 1`
  expect(await run(beside(command))).toMatchObject({ steps: { ran: ['good'], parked: ['odd'] } })
  expect(told('step-parked')).toMatchObject([{ reason: 'q'.repeat(499) }])
})

test('a command is told from others by its beginning, cut between characters', async () => {
  expect(await run(beside(`echo ${'x'.repeat(94)}🚀`))).toMatchObject({ status: 'completed' })
})

test.each([
  ['mkfifo', 'is no file'],
  ['mkdir', 'is a folder'],
  ['ln -s /etc/passwd', 'is a link'],
])('G1 what a step puts in the place of its output file by %s is told, not waited for', async (make, said) => {
  const command = `rm "$STEADFOLD_OUTPUT"; ${make} "$STEADFOLD_OUTPUT"`
  expect(await run(beside(command))).toMatchObject({ steps: { ran: ['good'], parked: ['odd'] } })
  expect(told('step-parked')).toMatchObject([{ reason: expect.stringContaining(`the file STEADFOLD_OUTPUT ${said}`) }])
})

test('G1 outputs above the limit are refused whole', async () => {
  const command = `echo first=1 >> "$STEADFOLD_OUTPUT"; yes x=0123456789 | head -c 4200000 >> "$STEADFOLD_OUTPUT"`
  expect(await run(beside(command))).toMatchObject({ steps: { ran: ['good'], parked: ['odd'] } })
  const reason = expect.stringContaining('STEADFOLD_OUTPUT is too large: at most 4 MiB')
  expect(told('step-parked')).toMatchObject([{ reason }])
})

test('G1 outputs that are no text are refused whole: other bytes would come back', async () => {
  const command = `printf 'first=1\\nname=a\\377b\\n' >> "$STEADFOLD_OUTPUT"`
  expect(await run(beside(command))).toMatchObject({ steps: { ran: ['good'], parked: ['odd'] } })
  expect(told('step-parked')).toMatchObject([{ reason: expect.stringContaining('is not UTF-8') as unknown }])
})

test('B3 outputs that fit into no commit are a failure of their step alone', async () => {
  // The log writes such a character with six.
  const command = `{ printf 'long='; head -c 4000000 /dev/zero | tr '\\0' '\\001'; } >> "$STEADFOLD_OUTPUT"`
  expect(await run(beside(command))).toMatchObject({ steps: { ran: ['good'], parked: ['odd'] } })
  expect(told('step-parked')).toMatchObject([{ reason: expect.stringContaining('its result cannot be kept') }])
})

test('an artifact or an input that cannot be read stops its step alone', async () => {
  // A link to itself: nobody can read it, not even root.
  const artifact = await run(beside('ln -s loop loop', { artifacts: ['loop'] }))
  expect(artifact).toMatchObject({ steps: { ran: ['good'], parked: ['odd'] } })
  expect(told('step-parked')).toMatchObject([{ reason: 'of its artifacts, "loop" cannot be read (ELOOP)' }])
  const input = await run({ ...beside('true', { inputs: ['loop'] }), name: 'even' })
  expect(input).toMatchObject({ steps: { ran: ['good'], skipped: ['odd'] } })
  expect(told('step-skipped')).toMatchObject([{ reason: 'of its inputs, "loop" cannot be read (ELOOP)' }])
})

test.each([
  ['a NUL', `printf 'x=a\\0b\\n'`, 'its variable X holds a NUL'],
  ['more than the system takes', `printf 'x='; head -c 200000 /dev/zero | tr '\\0' a`, 'are too long for the system'],
])('a step that reads %s waits for a person, and is not tried in vain', async (_, says, why) => {
  const make = { run: `{ ${says}; } >> "$STEADFOLD_OUTPUT"` }
  const odd = { run: 'echo "$X"', needs: 'make', reads: { X: 'make.x' }, retries: 3 }
  const steps = { make, odd, good: { run: effect('good') } }
  expect(await run({ name: 'odd', states: { only: { min_success: 0, steps } } })).toMatchObject({
    steps: { parked: ['odd'] },
  })
  expect(told('step-failed')).toMatchObject([{ class: 'terminal', reason: expect.stringContaining(why) }])
})

test('what a step closed in its folder does not keep the next one from going on', async () => {
  const command = `rm "$STEADFOLD_OUTPUT"; mkdir -p "$STEADFOLD_OUTPUT/a/b"; chmod 0 "$STEADFOLD_OUTPUT"`
  expect(await run(beside(command))).toMatchObject({ steps: { ran: ['good'], parked: ['odd'] } })
  expect(await run(beside(command))).toMatchObject({ status: 'partial' })
})

test.each(['1,200', 'many', '-5', '1e400', '0x10', ''])(
  'a cost that is no amount is told, and counts as none: %j',
  async (text) => {
    const told = vi.spyOn(process, 'emitWarning').mockReturnValue()
    const result = await run(
      beside(`echo 'tokens=${text}' >> "$STEADFOLD_OUTPUT"; echo cost_usd=0 >> "$STEADFOLD_OUTPUT"`),
    )
    expect(result).toMatchObject({ status: 'completed', spent: { tokens: 0 } })
    expect(told.mock.calls.map(([what]) => what)).toEqual([
      expect.stringContaining(`step odd: it says tokens=${text}, which`),
    ])
    told.mockRestore()
  },
)
