import type { HttpBindings } from '@hono/node-server'

/** The types of a request's context. */
export interface Env {
  readonly Bindings: HttpBindings
}
