/* M3 of server.ts: what requests have to bring. */
import * as z from 'zod/mini'

const text = z.string()

const ref = z.union([
  z.object({ type: z.literal('ref/prompt'), name: text }),
  z.object({ type: z.literal('ref/resource'), uri: text }),
])

const words = z.optional(z.record(text, text))

export const PAGE = { params: z.object({ cursor: z.optional(text) }) }
export const RESOURCE = { params: z.object({ uri: text }) }
export const PROMPT = { params: z.object({ name: text, arguments: words }) }
export const COMPLETION = {
  params: z.object({
    ref,
    argument: z.object({ name: text, value: text }),
    context: z.optional(z.object({ arguments: words })),
  }),
}
