import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { validator } from '../session-state/validators.ts'
import { Place } from './binary.ts'

const published = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../schemas/session-state.v3.json'), 'utf8'),
) as Readonly<Record<string, unknown>>

describe('the document on the command line', () => {
  let place: Place
  beforeAll(() => {
    place = new Place()
    place.run('session', 'create', 'build', '--mode', 'development')
    place.run('task', 'add', 'one')
    place.run('message', 'send', '{"ask":"which?"}', '--to', 'b.c')
    place.run('state', 'set', "data['a.b'].c-d", '7')
  })
  afterAll(() => place.remove())

  test('state get prints all of it, and it validates against the schema that schema prints', () => {
    const document: unknown = JSON.parse(place.run('state', 'get').out)
    expect(validator(published)(document)).toEqual([])
    expect(document).toMatchObject({
      session: { user_context: { workspace_path: place.dir } },
      persistence: { event_log: { total_events: 4, log_files: [{ start_offset: 1, end_offset: 4 }] } },
    })
    expect(JSON.parse(place.run('schema', 'session-state').out)).toEqual(published)
  })

  test('a path into what is derived is read; a wrong one says what there is', () => {
    expect(place.run('state', 'get', "communication.message_queues['b.c'][0].to").out).toBe('b.c\n')
    expect(place.run('state', 'get', 'observability.health.nope')).toMatchObject({ status: 3, out: '' })
    expect(place.run('state', 'get', 'observability.health.nope').err).toContain('has system_status, checks')
  })

  test('state bulk answers many paths at once; what is not there is named', () => {
    const asked = ["data['a.b'].c-d", "$.execution.tasks['task-1'].title", '$..title', 'nope.at.all']
    expect(place.data('state', 'bulk', ...asked)).toEqual({
      values: { [asked[0] ?? '']: 7, [asked[1] ?? '']: 'one', [asked[2] ?? '']: ['one'] },
      missing: ['nope.at.all'],
      seq: 4,
    })
    expect(place.data('state', 'bulk', '$.data', '$.data.topic', '--at', '2')).toMatchObject({
      values: { '$.data': {} },
      missing: ['$.data.topic'],
    })
    expect(place.run('state', 'bulk').status).toBe(64)
    expect(place.run('state', 'bulk', 'a[').status).toBe(4)
  })

  test('what is derived can be waited for', () => {
    const done = place.run('wait', '--path', 'persistence.event_log.total_events', '--equals', '4')
    expect(done.status).toBe(0)
    const late = place.run('wait', '--path', 'persistence.event_log.total_events', '--equals', '5', '--timeout', '50ms')
    expect(late.status).not.toBe(0)
  })
})
