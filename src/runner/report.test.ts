import { expect, test } from 'vitest'
import { effect, projectForEachTest } from '../../test/runner/project.ts'

const project = projectForEachTest()
const { run } = project

const writes = (name: string, text: string) => `${effect(name)}; printf -- '${text}' > ${name}.md`
const build = (page: string) => ({
  name: 'build',
  states: {
    implement: {
      mode: 'waves',
      min_success: 0.5,
      on_failure: 'complete',
      steps: {
        api: { run: writes('api', '# API\\n\\nIt answers.\\n\\n- fast\\n'), report: 'api.md', files: ['src/api'] },
        page: { run: page, report: 'page.md', needs: 'api', files: ['src'] },
        tests: { run: writes('tests', '# Tests\\n'), report: 'tests.md', needs: 'page' },
      },
    },
    complete: {},
  },
})

interface Shown {
  readonly value: {
    readonly status: string
    readonly workers: readonly { readonly id: string; readonly status: string; readonly reason: string | null }[]
  }
}

test('a state that is worked off is a supervisor: workers, reports, what failed and what was skipped', async () => {
  await run(build(`${effect('page')}; exit 1`))
  const session = await project.session('build')
  const seq = session.seq
  const { value } = (await session.run('supervise.show', { supervisor: 'implement' })) as unknown as Shown
  expect(value).toMatchObject({
    kind: 'implementation',
    source: 'run',
    status: 'failed',
    waves: [['api'], ['page'], ['tests']],
  })
  expect(value.workers.map(({ id, status, reason }) => [id, status, reason])).toEqual([
    ['api', 'completed', null],
    ['page', 'failed', 'exit 1'],
    ['tests', 'skipped', 'needs page, which failed'],
  ])
  expect(value).toMatchObject({
    aggregate: {
      reports_created: ['api.md'],
      summary: 'API: It answers.',
      key_findings: ['fast'],
      success_rate: 0.3333,
    },
  })
  expect(session.seq).toBe(seq)
})

test('run again, only what failed and what waited for it is done; the report is a blob and an artifact', async () => {
  await run(build(`${effect('page')}; exit 1`))
  await run(build(writes('page', '---\\nsummary: shown\\n---\\n# Page\\n')))
  expect(project.effects()).toEqual(['api', 'page', 'page', 'tests'])
  const session = await project.session('build')
  const shown = await session.run('supervise.show', { supervisor: 'implement', worker: 'page' })
  expect(shown).toMatchObject({
    value: {
      status: 'completed',
      text: '---\nsummary: shown\n---\n# Page\n',
      report: { title: 'Page', summary: 'shown' },
    },
  })
  const { value } = (await session.run('step.show', { step: 'page' })) as {
    value: { record: { result: { artifacts: unknown; report: { kept: unknown } } } }
  }
  expect(value.record.result.artifacts).toMatchObject([{ path: 'page.md' }])
  const measured = await session.run('supervise.meter', { supervisor: 'implement' })
  expect(measured).toMatchObject({
    value: {
      tokens: { encoding: 'o200k_base', estimate: true },
      time: { critical_path: ['api', 'page', 'tests'], measured: 3, from_ready: [] },
    },
  })
})

test('a report that was not written is a failure; a supervisor that run works off is not told of by hand', async () => {
  const result = await run({ name: 'none', states: { only: { steps: { a: { run: 'true', report: 'a.md' } } } } })
  expect(result).toMatchObject({ status: 'failed', steps: { failed: ['a'] } })
  const session = await project.session('none')
  const answer = await session.run('supervise.report', { supervisor: 'only', worker: 'a' })
  expect(answer).toMatchObject({
    kind: 'refused',
    code: 'WORKER_STATUS_INVALID',
    hint: 'steadfold run; only what failed runs again',
  })
  const taken = await session.run('supervise.start', { kind: 'research', workers: [{ id: 'a' }], id: 'only' })
  expect(taken).toMatchObject({ code: 'NAME_TAKEN' })
})
