/* The session that the whole team shares, as one of them sees it. STEADFOLD_LIBRARY names another build of the library. */
const { holdLock, openWorkspace } = await import(process.env.STEADFOLD_LIBRARY ?? 'steadfold')

/** `ask` gives a rule's no back as a value; `sure` takes only a yes; `hold` waits for a lock. */
export async function join(name, actor) {
  const workspace = await openWorkspace({ dir: process.cwd() })
  const session = await workspace.session(name).catch(() => workspace.createSession({ name }))
  const ask = (operation, input = {}) => session.run(operation, input, { actor })
  const sure = async (operation, input) => {
    const answer = await ask(operation, input)
    if (answer.kind === 'accepted') return answer.value
    throw new Error(`${operation}: ${answer.code} ${answer.message}`)
  }
  const hold = (resource, ttl_ms) => holdLock(session, { resource, ttl_ms, actor })
  return { session, ask, sure, hold, close: () => workspace.close() }
}

export const pause = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
