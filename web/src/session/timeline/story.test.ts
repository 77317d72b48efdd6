import { expect, test } from 'vitest'
import { tell } from './story.ts'

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()

const commit = (seq: number, actor: string, type: string, data: unknown) => {
  const events = [{ type, data }]
  return { seq, actor, at: at(seq), op: type, hash: '', events }
}

const started = (seq: number, name: string, token = seq) =>
  commit(seq, 'agent:lead', 'step.started', { key: name, token, name, state: 'build', attempt: 1 })

test('B1 a step is a bar of its actor from its start to its result', () => {
  const { bars } = tell([started(1, 'lint'), commit(3, 'agent:lead', 'step.finished', { key: 'lint', token: 1 })])
  expect(bars).toMatchObject([{ lane: 'agent:lead', kind: 'step', label: 'lint', outcome: 'good', seq: 1 }])
  expect(bars[0]?.end).toBe(Date.parse(at(3)))
  expect(bars[0]?.sure).toBeUndefined()
})

test('B1 what goes on has no end', () => {
  const [bar] = tell([started(1, 'lint')]).bars
  expect(bar).toMatchObject({ outcome: 'open' })
  expect(bar?.end).toBeUndefined()
})

test('B2 a claim that ran out is inferred from the last sign of its holder on', () => {
  const [bar] = tell([
    commit(1, 'agent:ada', 'task.claimed', { id: 'task-a', token: 1, holder: 'agent:ada', expires: 0 }),
    commit(2, 'agent:ada', 'task.started', { id: 'task-a' }),
    commit(9, 'tool:steadfold', 'task.returned', { id: 'task-a', token: 1, cause: 'expired' }),
  ]).bars
  expect(bar).toMatchObject({ outcome: 'back', sure: Date.parse(at(2)), end: Date.parse(at(9)) })
})

test('B2 an attempt that nobody ended is over when the next one begins, and inferred as a whole', () => {
  const [first, second] = tell([started(1, 'lint'), started(5, 'lint')]).bars
  expect(first).toMatchObject({ outcome: 'back', sure: first?.start, end: Date.parse(at(5)) })
  expect(second).toMatchObject({ outcome: 'open' })
})

test('B3 waves follow from what steps need', () => {
  const states = { build: { steps: { a: {}, b: { needs: ['a'] } } } }
  const story = tell([
    commit(1, 'human:sam', 'workflow.defined', { definition: { states }, current: 'build' }),
    started(2, 'a'),
    commit(4, 'agent:lead', 'step.finished', { key: 'a', token: 2 }),
    started(5, 'b'),
  ])
  expect(story.waves).toEqual([
    { label: 'wave 1', start: Date.parse(at(2)), end: Date.parse(at(4)) },
    { label: 'wave 2', start: Date.parse(at(5)) },
  ])
})

test('a handoff is an arrow that ends when it is taken', () => {
  const offer = { id: 'h', from_agent: 'ada', to_agent: 'ben', task_id: 'task-a', artifacts: [], context: {} }
  const [arrow] = tell([
    commit(1, 'agent:ada', 'handoff.created', offer),
    commit(4, 'agent:ben', 'handoff.acknowledged', { id: 'h' }),
  ]).arrows
  expect(arrow).toMatchObject({ from: 'agent:ada', to: 'agent:ben', end: Date.parse(at(4)), said: 'accepted' })
})
