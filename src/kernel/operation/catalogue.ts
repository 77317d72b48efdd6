import { inTurn } from '../in-turn.ts'
import type { Catalogue, Operation } from './operation.ts'

type Loaders = Readonly<Record<string, () => Promise<readonly Operation[]>>>

/** Operations `noun.verb`, each noun loaded when its first verb is asked for. */
export function catalogue(loaders: Loaders): Catalogue {
  const known = new Map<string, Operation>()
  const load = async (noun: string) => {
    const loader = Object.hasOwn(loaders, noun) ? loaders[noun] : undefined
    const operations = loader === undefined ? [] : await inTurn(loader)
    for (const operation of operations) known.set(operation.name, operation)
    return operations
  }
  return {
    nouns: Object.keys(loaders),
    // Programs without types ask for anything.
    get: (name) => known.get(name) ?? load(String(name).split('.', 1)[0] ?? '').then(() => known.get(name)),
    all: async () => (await Promise.all(Object.keys(loaders).map(load))).flat(),
  }
}
