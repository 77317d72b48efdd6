import { EngineError } from '../error.ts'
import type { Log } from '../ports.ts'

/** The same log for those who only look: whatever would change it is refused with READ_ONLY. */
export function readOnlyLog(log: Log, hint: string): Log {
  const refuse = (): Promise<never> =>
    Promise.reject(new EngineError('READ_ONLY', 'the workspace is open only to be read', { hint }))
  const { blobs, checkpoints, names } = log
  const members: Partial<Log> = {
    create: refuse,
    append: refuse,
    repair: refuse,
    archive: refuse,
    ...(blobs === undefined ? {} : { blobs: { get: (session, hash) => blobs.get(session, hash), put: refuse } }),
    ...(names === undefined ? {} : { names: { holder: (name) => names.holder(name), claim: refuse } }),
    ...(checkpoints === undefined
      ? {}
      : {
          checkpoints: {
            get: (session) => checkpoints.get(session),
            put: () => Promise.resolve(undefined),
            delete: () => Promise.resolve(),
          },
        }),
  }
  return new Proxy(log, {
    get: (target, name) => {
      const member: unknown = Reflect.get(Object.hasOwn(members, name) ? members : target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}
