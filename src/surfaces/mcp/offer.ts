import type {
  CallToolResult,
  CompleteRequestParams,
  CompleteResult,
  GetPromptResult,
  InputRequiredResult,
  ListResourcesResult,
  Prompt,
  ReadResourceResult,
  ResourceTemplateType,
  ServerContext,
  Tool,
} from '@modelcontextprotocol/server'

type Or<T> = Promise<T | InputRequiredResult>

/** Who is on the other side, as it says. */
export interface Client {
  readonly name: string
  readonly context: ServerContext
}

/** What a server offers. The protocol around it is the same whatever that is; the conformance tests offer something else. */
export interface Offer {
  readonly name: string
  readonly version: string
  readonly instructions: string
  readonly tools: readonly Tool[]
  readonly templates: readonly ResourceTemplateType[]
  readonly prompts: readonly Prompt[]
  call(name: string, args: Readonly<Record<string, unknown>>, client: Client): Or<CallToolResult>
  resources(cursor: string | undefined): Promise<ListResourcesResult>
  read(uri: string, client: Client): Or<ReadResourceResult>
  prompt(name: string, args: Readonly<Record<string, string>>, client: Client): Or<GetPromptResult>
  complete(asked: CompleteRequestParams): Promise<CompleteResult>
  /** Calls `changed` whenever the resource has, until the answer is called; throws where there is no such resource. */
  follow(uri: string, changed: () => void): Promise<() => void>
  /** Calls `changed` whenever there are others, until the answer is called. */
  followList(changed: () => void): () => void
  /** Something is logged to the client. */
  readonly logs?: true
}
