/** A client that follows a session whose log gives way to another. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { expect, test } from 'vitest'
import { filesKernel } from '../../src/compose.ts'
import { repairSession } from '../../src/kernel/care/repair.ts'
import { until } from '../until.ts'
import { reach } from './reach.ts'

test('is told of the repair, and of what comes behind it', async () => {
  const { client, served, end } = await reach('http', 'auto')
  const session = await served.workspace.session('build')
  const { id } = session
  const add = (title: string) => session.run('task.add', { title })
  for (const title of ['one', 'two', 'three']) await add(title)
  let told = 0
  client.setNotificationHandler('notifications/resources/updated', () => void told++)
  const uri = `steadfold://sessions/${id}/tasks`
  await client.listen({ resourceSubscriptions: [uri] })

  const folder = path.join(served.dir, '.steadfold', 'sessions', id, 'log')
  const file = path.join(folder, fs.readdirSync(folder)[0] ?? '')
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"title":"two"', '"title":"TWO"'))
  await repairSession(filesKernel(path.join(served.dir, '.steadfold')), id)
  await until(() => told > 0)
  const { contents } = await client.readResource({ uri })
  expect(JSON.stringify(contents)).not.toContain('three')

  const before = told
  await add('four')
  await until(() => told > before)
  await session.close()
  await end()
})
