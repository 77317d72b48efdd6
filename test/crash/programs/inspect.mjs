// Opens folders one after the other for a rig that has hundreds of them. One JSON object per line in and out:
//   {dir, append?: [id, …], verify?: true, state?: true}  →  {log, ids, after?, state?, code?, verified?: {ok, message}}
// With `append`, the ids are appended one by one, the store opened again before each: a recovery must survive itself.
import { createInterface } from 'node:readline'
import { open, settings, verify } from './store.mjs'

async function inspect({ dir, append, verify: wanted, state }) {
  const answer = {}
  try {
    if (wanted) answer.verified = await verify(dir)
    if (state) answer.state = await stateOf(dir)
    answer.log = await entries(dir)
    answer.ids = ids(answer.log)
    for (const id of append ?? []) await appendOne(dir, id)
    if (append) answer.after = ids(await entries(dir))
  } catch (error) {
    answer.code = error.code ?? String(error)
    answer.message = String(error.message)
  }
  return answer
}

const ids = (log) => log.flatMap(({ id }) => (id === undefined ? [] : [id]))

async function entries(dir) {
  const store = await open(dir, settings)
  try {
    return (await store.entries()).map(({ sum, ...entry }) => ({ ...entry, sum: sum() }))
  } finally {
    await store.close()
  }
}

async function stateOf(dir) {
  const store = await open(dir, settings)
  try {
    return await store.state()
  } finally {
    await store.close()
  }
}

async function appendOne(dir, id) {
  const store = await open(dir, settings)
  try {
    await store.append(id, 'after')
  } finally {
    await store.close()
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await inspect(JSON.parse(line)))}\n`)
}
