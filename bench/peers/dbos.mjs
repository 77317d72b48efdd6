import { onServer } from './postgres.mjs'

/**
 * DBOS steps: `callers` workflows stay open and run steps while a slice is on.
 * A step answers when its outcome is in the system database.
 */
export async function openDbos(url, callers) {
  await onServer(url, ['drop schema if exists dbos cascade'])
  const { DBOS } = await import('@dbos-inc/dbos-sdk')
  DBOS.setConfig({ name: 'bench', systemDatabaseUrl: url, logLevel: 'error', systemDatabasePoolSize: 20 })
  const gate = newGate()
  const step = async (value) => DBOS.runStep(async () => value, { name: 'append' })
  const body = DBOS.registerWorkflow(
    async () => {
      await gate.callerLoop(step)
    },
    { name: 'bench' },
  )
  await DBOS.launch()
  const handles = await Promise.all(Array.from({ length: callers }, () => DBOS.startWorkflow(body)()))
  return {
    slice: (values, ms) => gate.slice(values, ms, callers),
    close: async () => {
      gate.finish()
      await Promise.all(handles.map((handle) => handle.getResult()))
      await DBOS.shutdown()
    },
  }
}

/** Lets long-lived callers work in slices: starting a workflow costs more than a slice is long. */
function newGate() {
  let open
  let over = false
  let opened = new Promise((resolve) => {
    open = resolve
  })
  const callerLoop = async (step) => {
    for (;;) {
      const task = await opened
      if (over) return
      await task(step)
    }
  }
  const slice = async (values, ms, callers) => {
    let count = 0
    let idle = 0
    const begun = performance.now()
    let last = begun
    let finished
    const all = new Promise((resolve) => {
      finished = resolve
    })
    const release = open
    opened = new Promise((resolve) => {
      open = resolve
    })
    release(async (step) => {
      while (last < begun + ms) {
        await step(values[count++ % values.length])
        last = performance.now()
      }
      if (++idle === callers) finished()
    })
    await all
    return count / ((last - begun) / 1000)
  }
  return {
    callerLoop,
    slice,
    finish: () => {
      over = true
      open()
    },
  }
}
