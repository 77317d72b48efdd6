import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { effect, projectForEachTest } from '../../test/runner/project.ts'

const project = projectForEachTest()
const { run } = project

const small = {
  name: 'small',
  states: {
    research: { steps: { a: { run: effect('a') }, b: { run: effect('b'), needs: ['a'] } } },
    write: { steps: { c: { run: ['sh', '-c', effect('c')], needs: ['b'] } } },
    complete: {},
  },
}

test('W4 a workflow that is run again after its end says that it begins anew', async () => {
  const pass = async () => {
    let again: boolean | undefined
    await run(small, { onEvent: (event) => void (event.type === 'run-started' && (again = event.again)) })
    return again
  }
  expect([await pass(), await pass()]).toEqual([false, true])
})

test('W5 a workflow whose last state has another name begins anew, and takes what has not changed from before', async () => {
  await run(small)
  const { research, write } = small.states
  const renamed = { name: 'small', states: { research, write, done: {} } }
  project.events.length = 0
  expect(await run(renamed)).toMatchObject({ status: 'completed', steps: { ran: [], reused: ['a', 'b', 'c'] } })
  expect(project.told('run-started')).toMatchObject([{ again: true, resumed: null }])
  expect(project.effects()).toEqual(['a', 'b', 'c'])
})

test('an edit runs again only the step it touches', async () => {
  await run(small)
  const edited = structuredClone(small)
  edited.states.research.steps.b.run = effect('b2')
  expect(await run(edited)).toMatchObject({ steps: { ran: ['b'], reused: ['a', 'c'] } })
  expect(project.effects()).toEqual(['a', 'b', 'c', 'b2'])
})

test('of an edited step a resumed run says that it is to run, or that its state is behind', async () => {
  const told = vi.spyOn(process, 'emitWarning').mockReturnValue()
  const broken = {
    name: 'broken',
    states: {
      first: { steps: { a: { run: effect('a') } } },
      second: { steps: { b: { run: effect('b') }, c: { run: effect('c') }, d: { run: 'exit 1' } } },
      complete: {},
    },
  }
  await run(broken)
  const edited = structuredClone(broken)
  edited.states.first.steps.a.run = effect('a2')
  edited.states.second.steps.b.run = effect('b2')
  expect(await run(edited)).toMatchObject({
    resumed: { kept: ['a', 'c'], to_run: ['b', 'd'] },
    steps: { ran: ['b'], failed: ['d'] },
  })
  expect(told.mock.calls.map(([what]) => what)).toEqual([expect.stringContaining('step a: its command has changed')])
  told.mockRestore()
})

test('what failed in a state that is behind, where enough succeeded, is not to run', async () => {
  const states = {
    first: { min_success: 0.5, steps: { a: { run: effect('a') }, b: { run: 'exit 1' } } },
    second: { steps: { c: { run: 'exit 1' } } },
    complete: {},
  }
  await run({ name: 'enough', states })
  states.second.steps.c.run = effect('c')
  const resumed = await run({ name: 'enough', states })
  expect(resumed).toMatchObject({ resumed: { kept: ['a'], to_run: ['c'] }, steps: { ran: ['c'] } })
})

test('a state that only an earlier pass has left is not behind: its edited step is to run, and does', async () => {
  const told = vi.spyOn(process, 'emitWarning').mockReturnValue()
  await run(small)
  const edited = structuredClone(small)
  edited.states.research.steps.a.run = 'exit 1'
  await run(edited)
  edited.states.write.steps.c.run[2] = effect('c2')
  edited.states.research.steps.a.run = small.states.research.steps.a.run
  expect(await run(edited)).toMatchObject({ resumed: { to_run: ['a', 'c'] }, steps: { ran: ['c'] } })
  expect(told.mock.calls.map(([what]) => what)).toEqual([])
  told.mockRestore()
})

test('W10 a state that was added behind the end is run', async () => {
  await run(small)
  const longer = {
    ...small,
    states: { ...small.states, publish: { steps: { d: { run: effect('d'), needs: ['c'] } } } },
  }
  expect(await run(longer)).toMatchObject({ status: 'completed', state: 'publish', steps: { ran: ['d'] } })
  expect(project.effects()).toEqual(['a', 'b', 'c', 'd'])
})

test('a declared input is part of the key by its content', async () => {
  const definition = {
    name: 'inputs',
    states: { only: { steps: { count: { run: effect('counted'), inputs: ['*.txt'] } } } },
  }
  project.write('a.txt', '1')
  await run(definition)
  await run(definition)
  project.write('a.txt', '2')
  expect(await run(definition)).toMatchObject({ steps: { ran: ['count'] } })
  expect(project.effects()).toEqual(['counted', 'counted'])
})

test('R3 a step whose inputs are as they were before hands on what it handed back then', async () => {
  const definition = {
    name: 'back',
    states: {
      only: {
        steps: {
          a: { run: 'echo "v=$(cat a.txt)" >> "$STEADFOLD_OUTPUT"', inputs: ['a.txt'] },
          b: { run: 'echo "$V" >> effects', needs: ['a'], reads: { V: 'a.v' } },
        },
      },
    },
  }
  for (const value of ['1', '2']) {
    project.write('a.txt', value)
    await run(definition)
  }
  project.write('a.txt', '1')
  expect(await run(definition)).toMatchObject({ steps: { ran: [], reused: ['a', 'b'] } })
  expect((await project.session('back')).get('$.outputs')).toEqual({ 'a.v': '1' })
  const edited = structuredClone(definition)
  edited.states.only.steps.b.run += ' # again'
  await run(edited)
  expect(project.effects()).toEqual(['1', '2', '1'])
})

test('O5 what a step hands back no more is no output of it, and who reads that is skipped', async () => {
  const definition = {
    name: 'less',
    states: {
      only: {
        steps: {
          a: { run: 'cat a.txt >> "$STEADFOLD_OUTPUT"', inputs: ['a.txt'] },
          b: { run: effect('b $V'), needs: ['a'], reads: { V: 'a.two' } },
        },
      },
    },
  }
  const outputs = async () => (await project.session('less')).get('$.outputs')
  project.write('a.txt', 'one=1\ntwo=2\n')
  await run(definition)
  project.write('a.txt', 'one=1\n')
  expect(await run(definition)).toMatchObject({ steps: { ran: ['a'], skipped: ['b'] } })
  expect(await outputs()).toEqual({ 'a.one': '1' })
  project.write('a.txt', 'three=3\n')
  await run(definition)
  expect(await outputs()).toEqual({ 'a.three': '3' })
  project.write('a.txt', 'one=1\ntwo=2\n')
  expect(await run(definition)).toMatchObject({ status: 'completed', steps: { reused: ['a', 'b'] } })
  expect(await outputs()).toEqual({ 'a.one': '1', 'a.two': '2' })
  expect(project.effects()).toEqual(['b 2'])
})

test('N2 when and how often a step runs is not part of the key: nothing runs again for it', async () => {
  await run(small)
  const edited = structuredClone(small)
  const often = { timeout: '1h', retries: 7, repeatable: true, cost_hint: '3s' }
  Object.assign(edited.states.research.steps.b, often)
  expect(await run(edited)).toMatchObject({ status: 'completed', steps: { ran: [] } })
  expect(project.effects()).toEqual(['a', 'b', 'c'])
})

test('R1 of two that begin a workflow at the same moment one pays for it, in one session', async () => {
  const ended = await Promise.allSettled([run(small), run(small), run(small)])
  expect(project.effects()).toEqual(['a', 'b', 'c'])
  const refused = ended.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []))
  for (const reason of refused) expect(reason).toMatchObject({ code: 'LEASE_HELD' })
  expect(refused.length).toBeLessThan(3)
  const names: unknown[] = []
  for await (const session of project.workspace.sessions()) {
    names.push(session.get('$.session.name'))
    await session.close()
  }
  expect(names).toEqual(['small'])
})

const half = {
  name: 'half',
  states: { first: { steps: { a: { run: effect('a') } } }, second: { steps: { b: { run: 'exit 1' } } }, done: {} },
}

test.each(['session.suspend', 'session.terminate'])(
  'R3 after %s a workflow is not begun again elsewhere: it says how it goes on',
  async (operation) => {
    await run(half)
    await (await project.session('half')).run(operation, {})
    await expect(run(half)).rejects.toMatchObject({ code: 'SESSION_NOT_WRITABLE' })
    await (await project.session('half')).run('session.end', {})
    expect(await run(half)).toMatchObject({ session: { name: 'half-2' }, steps: { ran: ['a'] } })
  },
)

test.each([3, 6])('R3 a workflow whose session is damaged at commit %i is not begun again elsewhere', async (seq) => {
  const { session } = await run(half)
  const folder = project.file(`.steadfold/sessions/${session.id}/log`)
  const file = path.join(folder, readdirSync(folder)[0] ?? '')
  const altered = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.replace(`"seq":${seq},`, `"seq":${seq + 1},`))
  writeFileSync(file, altered.join('\n'))
  await expect(run(half)).rejects.toMatchObject({ code: 'LOG_CORRUPT' })
  expect(project.effects()).toEqual(['a'])
})

test('a session that has the name and work of its own is left alone', async () => {
  const begun = await project.workspace.createSession({ name: 'small' })
  await begun.run('state.set', { path: '$.data.mine', value: 1 })
  await begun.close()
  expect(await run(small)).toMatchObject({ status: 'completed', session: { name: 'small-2' } })
})

test('a session that has the name and nothing in it is taken, as that of a run killed before its workflow was there', async () => {
  const begun = await project.workspace.createSession({ name: 'small' })
  await begun.run('session.acquire', { ttl_ms: 60_000 })
  await begun.run('session.release', { token: begun.get('$.session.lease.token') })
  await begun.close()
  expect(await run(small)).toMatchObject({ status: 'completed', session: { id: begun.id, name: 'small' } })
})

test('a step whose command held a secret is not run as the log has it, but from its file', async () => {
  const secret = { run: `[ ghp_${'a1'.repeat(18)} ] && ${effect('paid')}` }
  const definition = {
    name: 'secret',
    states: { only: { steps: { first: { run: '[ -e go ]' }, paid: { ...secret, needs: ['first'] } } } },
  }
  await run(definition)
  project.write('go', '')
  const session = await project.session('secret')
  const stored = session.get('$.workflow.definition')
  expect(await run(stored, { session })).toMatchObject({
    status: 'failed',
    steps: { ran: ['first'], skipped: ['paid'] },
  })
  expect(await run(definition)).toMatchObject({ status: 'completed', steps: { ran: ['paid'] } })
})

test('a step does not run with what stands for a secret that it reads; a text that held one is read as the log has it', async () => {
  const token = `ghp_${'a1'.repeat(18)}`
  const say = { run: `printf 'key=${token}\\ntext=it was ${token}\\n' >> "$STEADFOLD_OUTPUT"` }
  const steps = {
    say,
    key: { run: effect('$KEY'), needs: ['say'], reads: { KEY: 'say.key' } },
    text: { run: effect('$TEXT'), needs: ['say'], reads: { TEXT: 'say.text' } },
  }
  const { status, message } = await run({ name: 'handed', states: { only: { steps } } })
  expect([status, message]).toEqual([
    'failed',
    expect.stringContaining('reads say.key, a secret, which is not in the log'),
  ])
  expect(project.effects()).toEqual(['it was [redacted:github-token]'])
})

test('T12 a once that has the name of a step takes nothing from it, and is found by its key', async () => {
  const two = { b: { run: `[ -e calm ] && ${effect('b')}`, needs: ['a'] } }
  const definition = { name: 'twice', states: { one: { steps: { a: { run: effect('a') } } }, two: { steps: two } } }
  expect(await run(definition)).toMatchObject({ status: 'failed', steps: { ran: ['a'], failed: ['b'] } })
  const session = await project.session('twice')
  const once = (...argv: string[]) => project.runner.once({ session, key: 'a', argv })
  await once('false')
  project.write('calm', '')
  expect(await run(definition)).toMatchObject({ status: 'completed', steps: { ran: ['b'] } })
  const parked = await once('sh', '-c', 'exit 77').catch((error: unknown) => error)
  const [, key = ''] = /step release ([0-9a-f]+) /.exec((parked as { hint: string }).hint) ?? []
  const listed = await session.run('step.list', {})
  expect(listed).toMatchObject({
    value: [{ name: 'a', status: 'finished' }, { name: 'b' }, { name: 'a', status: 'parked' }],
  })
  await session.run('step.release', { step: key })
  expect(await once('true')).toMatchObject({ kind: 'ran', exit: 0 })
  expect(project.effects()).toEqual(['a', 'b'])
})
