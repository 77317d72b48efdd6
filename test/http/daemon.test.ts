/* One daemon a workspace, found by its file and by evidence; and the command line beside it. */
import * as fs from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { EngineError } from '../../src/kernel/error.ts'
import { findDaemon, serve } from '../../src/serve.ts'
import { Served } from './served.ts'

let served: Served
beforeEach(async () => {
  served = await Served.open()
})
afterEach(() => served.remove())

const codeOf = async (task: Promise<unknown>) => {
  const error: unknown = await task.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return error instanceof EngineError ? error.code : error
}

const edit = (change: (record: Record<string, unknown>) => void) => {
  const record = JSON.parse(fs.readFileSync(served.file, 'utf8')) as Record<string, unknown>
  change(record)
  fs.writeFileSync(served.file, JSON.stringify(record))
}

/** As a daemon leaves it that was killed: the file is there, the process is not. */
const died = (record: Record<string, unknown>) => {
  record['process'] = { ...(record['process'] as object), started: '1' }
}

describe('D1. one daemon holds the file', () => {
  test('D1. a second one is refused, and the first goes on', async () => {
    expect(await codeOf(serve(served.workspace))).toBe('DAEMON_RUNNING')
    expect((await served.ask('GET', '/v1')).status).toBe(200)
  })

  test('D1. the file goes with the daemon', async () => {
    await served.daemon.close()
    expect(fs.existsSync(served.file)).toBe(false)
    expect(await served.daemon.ended).toBe('it was closed')
  })

  test('a workspace that is closed is not served: nothing could be read, and nobody else could serve it', async () => {
    await served.stop()
    expect(await codeOf(serve(served.workspace))).toBe('CLOSED')
    expect(fs.existsSync(served.file)).toBe(false)
  })

  test('a workspace that is closed ends its daemon first: it answered 503 to everybody, and kept the process', async () => {
    const { url, ended } = served.daemon
    await served.workspace.close()
    expect(await ended).toBe('it was closed')
    expect(fs.existsSync(served.file)).toBe(false)
    await expect(fetch(url)).rejects.toThrow()
  })

  test('a workspace that is closed while its daemon starts has none', async () => {
    await served.daemon.close()
    const starting = codeOf(serve(served.workspace))
    await served.workspace.close()
    expect(await starting).toBe('CLOSED')
    expect(fs.existsSync(served.file)).toBe(false)
  })

  test('a port that others have is said', async () => {
    const other = await Served.open()
    expect(await codeOf(served.daemon.close().then(() => served.start(other.port)))).toBe('PORT_TAKEN')
    await other.remove()
  })
})

describe('D2. dead is decided by evidence', () => {
  test('D2. the file of a process that is gone is taken over, its token and port with it', async () => {
    const before = served.record
    const text = fs.readFileSync(served.file, 'utf8')
    await served.stop()
    fs.writeFileSync(served.file, text, { mode: 0o600 })
    edit(died)
    await served.start()
    expect([served.record.token, served.record.port]).toEqual([before.token, before.port])
    expect((await served.ask('GET', '/v1')).status).toBe(200)
  })

  test('D2. whoever looks is told: alive, dead, or not to be seen from here', async () => {
    const folder = `${served.dir}/.steadfold`
    expect((await findDaemon(folder))?.verdict.kind).toBe('alive')
    edit((record) => void (record['process'] = { ...(record['process'] as object), boot_id: 'x', host: 'elsewhere' }))
    expect((await findDaemon(folder))?.verdict.kind).toBe('unknown')
    edit(died)
    fs.rmSync(served.file)
    expect(await findDaemon(folder)).toBeUndefined()
  })

  test('D2. a file that says nothing is put aside', async () => {
    await served.stop()
    fs.writeFileSync(served.file, '{"v":1,')
    await served.start()
    expect(served.record.process.pid).toBe(process.pid)
  })

  test('D3. a link in the place of the file is not followed', async () => {
    await served.stop()
    const elsewhere = `${served.dir}/elsewhere.json`
    fs.writeFileSync(elsewhere, 'kept')
    fs.symlinkSync(elsewhere, served.file)
    await served.start()
    expect(fs.readFileSync(elsewhere, 'utf8')).toBe('kept')
    expect(fs.lstatSync(served.file).isSymbolicLink()).toBe(false)
  })
})

test('D5. it ends when its file is taken away', async () => {
  fs.rmSync(served.file)
  expect(await served.daemon.ended).toBe('its file was taken away')
})
