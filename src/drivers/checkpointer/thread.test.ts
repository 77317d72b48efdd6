import { expect, test } from 'vitest'
import { DEFAULTS } from '../../kernel/kernel.ts'
import { checkpointOnThread, type Report } from './thread.ts'

const assignment = { root: '/nowhere', session: 's', settings: DEFAULTS }
const nothing = () => {}

test('a thread that cannot be started costs a warning, not the process', async () => {
  const warnings: string[] = []
  const noProgram = new URL('http://localhost/worker.js')
  expect(await checkpointOnThread(noProgram, assignment, (message) => warnings.push(message), nothing)).toBe(0)
  expect(warnings).toEqual([expect.stringContaining('no checkpoint')])
})

test('F2 a sync that failed on the thread is told, and no other failure is', async () => {
  const saying = (report: Report) =>
    new URL(
      `data:text/javascript,import { parentPort } from 'node:worker_threads'; parentPort.postMessage(${JSON.stringify(report)})`,
    )
  let told = 0
  const make = (report: Report) => checkpointOnThread(saying(report), assignment, nothing, () => void told++)
  await make({ bytes: 1 })
  await make({ failed: 'no room', unsynced: false })
  expect(told).toBe(0)
  await make({ failed: 'EIO', unsynced: true })
  expect(told).toBe(1)
})
