import { expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import { modules } from '../../compose/modules.ts'
import { makeFolder } from './fold.ts'
import { lazyModule } from './lazy-module.ts'
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
    const { slice, evolve } = module
    if (slice === 'session') return module
    return lazyModule({ slice, events: Object.keys(evolve), load: () => (loaded.push(slice), module) })
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
