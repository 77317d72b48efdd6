import { expect } from 'vitest'
import type { Task, TaskIndex } from '../../src/domain/tasks/events.ts'
import type { Session } from '../../src/kernel/session.ts'

/** K8: what a search would say. */
export function expectIndexed(session: Session) {
  const tasks = Object.values((session.get('$.execution.tasks') ?? {}) as Record<string, Task>)
  const index = session.get('$.execution.task_index') as TaskIndex | undefined
  if (index === undefined) return expect(tasks).toEqual([])
  const status = new Map(tasks.map((task) => [task.id, task.status]))
  const ready = tasks.filter(
    (task) => task.status === 'pending' && task.dependencies.every((on) => status.get(on) === 'completed'),
  )
  expect(Object.keys(index.ready.places).toSorted()).toEqual(ready.map((task) => task.id).toSorted())
  const queues = Object.entries(index.facets).map(([facet, { places }]) => [facet, Object.keys(places).toSorted()])
  const facets = ['type=feature', 'team=core', 'team=web'].map((facet) => [
    facet,
    ready
      .filter((task) => facet.endsWith(`=${task.context.team ?? ''}`) || facet.startsWith('type'))
      .map((task) => task.id)
      .toSorted(),
  ])
  expect(Object.fromEntries(queues)).toEqual(Object.fromEntries(facets.filter(([, ids]) => ids?.length !== 0)))
  const held = tasks.filter((task) => task.claim !== null)
  expect(Object.keys(index.leases.places).toSorted()).toEqual(held.map((task) => task.id).toSorted())
  const byHolder = Object.entries(index.held).flatMap(([holder, mine]) =>
    Object.entries(mine).map(([task, token]) => `${holder} ${task} ${token}`),
  )
  expect(byHolder.toSorted()).toEqual(
    held.map((task) => `${task.claim?.holder ?? ''} ${task.id} ${task.token ?? 0}`).toSorted(),
  )
  for (const task of tasks) {
    expect(task.waits).toBe(task.dependencies.filter((on) => status.get(on) !== 'completed').length)
    expect(Object.keys(index.edges[task.id] ?? {}).toSorted()).toEqual(task.dependencies.toSorted())
    for (const on of task.dependencies) expect(tasks.find((each) => each.id === on)?.blocking).toContain(task.id)
    expect(task.claim !== null).toBe(task.status === 'assigned' || task.status === 'in_progress')
    expect(task.block !== null).toBe(task.status === 'blocked')
  }
}
