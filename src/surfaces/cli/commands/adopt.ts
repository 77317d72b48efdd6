/* An agent that began while it was not clear in which session. */
import { straysIn } from '../../../kernel/care/strays.ts'
import { EngineError } from '../../../kernel/error.ts'
import { accepted } from '../../../kernel/operation/answer.ts'
import { AGENTS } from '../context/agent-names.ts'
import type { App } from '../context/app.ts'
import { needed } from '../context/input.ts'
import { nameOf } from '../context/scope.ts'
import { count, plain } from '../show/text.ts'
import type { Command } from '../syntax/command.ts'

export const adopt: Command<App> = {
  name: 'activity adopt',
  summary: 'say in which session an agent is that began without one',
  examples: ['activity adopt claude 7b0e1c52-1111-4222-8333-944445555666 --session build-auth'],
  notes:
    'Where several sessions are active and an agent CLI names none, what its hook tells waits. From here on all of it is kept in that session, what it has told already, too.',
  parameters: [
    { name: 'AGENT', field: 'agent', type: 'text', required: true, choices: AGENTS, summary: 'which agent CLI' },
    { name: 'RUN', field: 'run', type: 'text', required: true, summary: 'its own id of its session' },
  ],
  flags: [],
  shares: ['session'],
  run: async (context, input) => {
    const of = { agent: needed(input, 'agent'), run: needed(input, 'run') }
    const session = await context.session('write')
    const workspace = await context.workspace()
    const stray = (await straysIn(workspace)).find(({ agent, run }) => agent === of.agent && run === of.run)
    if (stray === undefined)
      throw new EngineError('NOT_FOUND', `nothing that ${of.agent} run "${of.run}" told waits for a session`, {
        hint: 'steadfold activity list',
      })
    // What the session refuses would be put aside.
    accepted(await session.run('activity.record', { agent: of.agent, payload: '{}' }, { dryRun: true }))
    await context.app.adopt(workspace, session, of)
    const data = { session: session.id, ...of, told: stray.told }
    return {
      data,
      text: () =>
        `${of.agent} ${plain(of.run)} is in ${plain(nameOf(session))}, with ${count(stray.told, 'event')} that it told before`,
    }
  },
}
