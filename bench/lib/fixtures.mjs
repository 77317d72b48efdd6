/* What is written and asked for: the same in every run (seeded), for us and for the peers. */

/** Mulberry32: a small seeded generator, numbers in [0, 1). */
export function random(seed) {
  let a = seed >>> 0
  return () => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

function hex(next, length) {
  let text = ''
  while (text.length < length)
    text += Math.floor(next() * 2 ** 32)
      .toString(16)
      .padStart(8, '0')
  return text.slice(0, length)
}

export const STATUSES = ['pending', 'assigned', 'in_progress', 'review', 'completed', 'blocked']

/** A report of an agent, exactly `bytes` of ASCII JSON (at least 260). */
export function report(i, next, bytes = 300) {
  const value = {
    id: `${hex(next, 8)}-${hex(next, 4)}-4${hex(next, 3)}-a${hex(next, 3)}-${hex(next, 12)}`,
    at: new Date(1_790_000_000_000 + i * 37).toISOString(),
    type: 'task_updated',
    source: 'worker',
    severity: 'info',
    task: `task-${Math.floor(next() * 1000)}`,
    before: STATUSES[(i + 5) % 6],
    after: STATUSES[i % 6],
    note: '',
  }
  value.note = hex(next, bytes - JSON.stringify(value).length)
  return value
}

export function reports(n, { seed = 11, bytes = 300 } = {}) {
  const next = random(seed)
  return Array.from({ length: n }, (_, i) => report(i, next, bytes))
}

/** A task of about 500 bytes. */
export function task(i, next) {
  return {
    id: `t${i}`,
    type: 'feature',
    title: `Build part ${i} of ${hex(next, 8)}`,
    status: STATUSES[i % 6],
    priority: ['critical', 'high', 'medium', 'low'][i % 4],
    assignee: i % 3 === 0 ? null : `agent-${i % 97}`,
    needs: i === 0 ? [] : [`t${i - 1}`],
    created: '2026-01-01T00:00:00.000Z',
    updated: '2026-01-01T00:00:00.000Z',
    estimate: (i % 13) + 1,
    spent: null,
    artifacts: [`src/mod${i % 50}/file${i}.ts`],
    context: {
      epic: `e${i % 20}`,
      sprint: null,
      team: 'engineering',
      wanted: hex(next, 64),
      accepted: ['builds', 'tests'],
    },
  }
}

export function tasks(n, seed = 5) {
  const next = random(seed)
  return Array.from({ length: n }, (_, i) => task(i, next))
}

/** A graph of steps in topological order: `seconds` each and up to two `needs` among the earlier ones. */
export function graph(next) {
  const size = 12 + Math.floor(next() * 40)
  const steps = Array.from({ length: size }, (_, i) => {
    const needs = i === 0 ? [] : Array.from({ length: Math.floor(next() * 3) }, () => Math.floor(next() * i))
    return { seconds: 5 + Math.floor(-Math.log(1 - next()) * 15), needs: [...new Set(needs)] }
  })
  return { steps, agents: 4 + Math.floor(next() * 5) }
}
