/** The workspace for agents that speak MCP: on the standard streams, or in the daemon. */
import * as path from 'node:path'
import { agentIn } from '../context/actor.ts'
import type { App } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { isOn, numberOf, usage } from '../context/input.ts'
import type { Result } from '../context/result.ts'
import { isAddress } from '../context/scope.ts'
import type { Command } from '../syntax/command.ts'
import { AS } from '../syntax/flags.ts'
import { found, PORT, served, started } from './serve.ts'

export const mcp: Command<App> = {
  name: 'mcp',
  summary: 'offer this workspace to agents as tools and resources (MCP)',
  examples: ['mcp', 'mcp --session build-auth --as agent:worker-1', 'mcp --http'],
  notes:
    'Speaks JSON-RPC on stdin and stdout until stdin ends; an agent program starts it by itself. ' +
    'With --http the daemon answers at /mcp, with the token of .steadfold/daemon.json.',
  parameters: [],
  flags: [
    { name: 'http', field: 'http', type: 'boolean', summary: 'in the daemon, which is started unless it runs' },
    PORT,
    AS,
  ],
  shares: ['session'],
  streams: true,
  run: async (context, input) => {
    const actor = context.askedActor ?? agentIn(context.env)
    if (isOn(input, 'http')) return overHttp(context, numberOf(input, 'port'))
    if (numberOf(input, 'port') !== undefined) throw usage('--port is for HTTP', 'steadfold mcp --http --port N')
    if (context.json) throw usage('stdout belongs to the protocol', 'leave --json out')
    const session = await checkedSession(context)
    const { signal } = context
    await context.app.mcp(await context.workspace(), { session, actor, dir: toldDir(context), signal })
    return { data: null, text: '' }
  },
}

/** As a shell that stands elsewhere, and has not our environment, can be told it. */
const toldDir = ({ namedDir, cwd }: Context<App>): string | undefined =>
  namedDir === undefined || isAddress(namedDir) ? namedDir : path.resolve(cwd, namedDir)

/** A name that is wrong is told now, and not to the agent at each call. */
async function checkedSession(context: Context<App>): Promise<string | undefined> {
  if (context.namedSession === undefined) return undefined
  const session = await context.session('write')
  const { id } = session
  await session.close()
  context.seen = undefined
  return id
}

async function overHttp(context: Context<App>, port: number | undefined): Promise<Result> {
  const running = await found(context)
  if (running?.verdict.kind === 'alive') {
    const url = `${running.record.url}/mcp`
    return { data: { url }, text: url }
  }
  const daemon = await started(context, port)
  const url = `${daemon.url}/mcp`
  context.event({ type: 'mcp', url })
  if (!context.json) context.io.out(`${url}\n`)
  return served(context, daemon)
}
