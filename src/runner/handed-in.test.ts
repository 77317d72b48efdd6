import { expect, test } from 'vitest'
import { projectForEachTest } from '../../test/runner/project.ts'

const project = projectForEachTest()

/** As the functions for shells write it. */
const FACT = String.raw`mkdir -p .steadfold/spool
printf 'steadfold-fact 1\nsession: %s\nactor: tool:shell\nop: output.set\nname: topic\n\nauth\n#end\n' "$STEADFOLD_SESSION" \
  > .steadfold/spool/1.fact`

test('what a worker hands in through its shell is there for the step behind it', async () => {
  const definition = {
    name: 'handed',
    states: {
      one: { steps: { tell: { run: FACT } } },
      two: { steps: { hear: { run: 'printf "heard=$TOPIC\n" >> "$STEADFOLD_OUTPUT"', reads: { TOPIC: 'topic' } } } },
    },
  }
  expect(await project.run(definition)).toMatchObject({ status: 'completed' })
  const session = await project.session('handed')
  await session.refresh()
  expect(await session.run('output.get', { name: 'hear.heard' })).toMatchObject({ kind: 'accepted', value: 'auth' })
})
