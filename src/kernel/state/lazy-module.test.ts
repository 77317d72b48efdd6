import { expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import { modules } from '../../compose/modules.ts'
import { expiryOf, nextDue } from './due.ts'
import { makeFolder } from './fold.ts'
import { factsOf, lazyModule } from './lazy-module.ts'
import type { Module } from './module.ts'

const EMPTY = { session: { name: 'a' } }

test.each(modules.filter(({ slice }) => slice !== 'session').map((module) => [module.slice, module] as const))(
  'Y1 without its slice %s has nothing to say',
  (_, { expire, due, follow, guard }) => {
    expect(expire?.(EMPTY, 0, 1) ?? []).toEqual([])
    expect(due?.(EMPTY)).toBeUndefined()
    expect(follow?.(EMPTY, 0, 1) ?? []).toEqual([])
    expect(guard?.(EMPTY, 'state.set', 'human:a', 0)).toBeUndefined()
  },
)

/** A kernel of lazy modules, and the slices of those that were loaded. */
function lazyKernel() {
  const loaded: string[] = []
  const lazy = modules.map((module): Module => {
    const { slice } = module
    if (slice === 'session') return module
    return lazyModule(factsOf(module), () => (loaded.push(slice), module))
  })
  return { kernel: { ...memoryKernel(), modules: lazy, folder: makeFolder(lazy) }, loaded }
}

test('Y1 a module is loaded once, when something of it is folded, and then does as the other kind', async () => {
  const { kernel, loaded } = lazyKernel()
  const session = await makeWorkspace(kernel).createSession({ name: 'lazy' })
  await session.state.set({ path: '$.data.a', value: 1 })
  expect(loaded).toEqual(['data'])
  const held = await session.lock.acquire({ resource: 'a', ttl_ms: 1000 })
  const again = await session.lock.acquire({ resource: 'a', ttl_ms: 1000 }, { actor: 'agent:b' })
  expect([held.kind, again.kind]).toEqual(['accepted', 'refused'])
  expect(loaded).toEqual(['data', 'communication.locks'])
})

test('Y2 a module is not loaded before its first deadline, nor for a rule that it has not', async () => {
  const kernel = memoryKernel()
  const session = await makeWorkspace(kernel).createSession({ name: 'lazy' })
  await session.lock.acquire({ resource: 'a', ttl_ms: 60_000 })
  await session.task.add({ title: 'one' })
  await session.output.set({ name: 'x', value: '1' })
  const tree = await session.stateAt()
  const waiting: string[] = []
  for (const module of modules.filter(({ slice }) => /locks|tasks|outputs/.test(slice))) {
    let isLoaded = false
    const lazy = lazyModule(factsOf(module), () => ((isLoaded = true), module))
    const first = nextDue([lazy], tree, Date.now())
    expect([expiryOf(lazy)?.(tree, Date.now(), 9) ?? [], lazy.follow, lazy.guard, isLoaded]).toEqual([
      [],
      undefined,
      undefined,
      false,
    ])
    if (first === undefined) continue
    waiting.push(module.slice)
    expect([expiryOf(lazy)?.(tree, first + 1, 9).length, isLoaded]).toEqual([1, true])
  }
  expect(waiting).toEqual(['communication.locks'])
})
