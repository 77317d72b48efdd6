import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Offer } from './offer.ts'
import { Subscriptions } from './subscriptions.ts'

/** What begins with `no` is not there. */
function made(connections?: number) {
  const changes = new Map<string, () => void>()
  const follow = async (uri: string, changed: () => void) => {
    if (uri.startsWith('no')) throw new Error(`no ${uri}`)
    changes.set(uri, changed)
    return () => void changes.delete(uri)
  }
  const told: string[] = []
  const subscriptions = new Subscriptions({ follow } as unknown as Offer, (uri) => told.push(uri), connections)
  return { subscriptions, changes, told }
}

const many = (n: number, name: string) => Array.from({ length: n }, (_, i) => `${name}${i}`)

test('one that is not there is refused, and the others with it are followed', async () => {
  const { subscriptions, changes, told } = made()
  await expect(subscriptions.add(1, ['a', 'nothing', 'b'])).rejects.toThrow('no nothing')
  changes.get('b')?.()
  changes.get('b')?.()
  await setImmediate()
  expect(told).toEqual(['b'])
  subscriptions.remove(1)
  expect(changes.size).toBe(0)
})

test('what was refused counts for nothing, and each that is followed for one', async () => {
  const { subscriptions, changes } = made()
  for (const uri of many(300, 'no')) await expect(subscriptions.add(uri, [uri])).rejects.toThrow('no no')
  await subscriptions.add(1, many(150, 'a'))
  await expect(subscriptions.add(2, many(51, 'b'))).rejects.toThrow('at most 200')
  await subscriptions.add(2, many(50, 'b'))
  expect(changes.size).toBe(200)
})

test('connections that share it do not take each other what they follow', async () => {
  const { subscriptions, changes } = made(2)
  for (const name of ['a', 'b']) await subscriptions.add(name, many(200, name))
  expect(changes.size).toBe(400)
})
