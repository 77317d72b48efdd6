import { CHAT_REFINEMENTS } from './refine-chat.ts'
import { LOCK_REFINEMENTS } from './refine-locks.ts'
import { TEAM_REFINEMENTS } from './refine-team.ts'
import { TURN_REFINEMENTS } from './refine-turns.ts'
import type { Refinement } from './refinement.ts'

const REFINEMENTS: Readonly<Record<string, Refinement>> = {
  ...LOCK_REFINEMENTS,
  ...TURN_REFINEMENTS,
  ...CHAT_REFINEMENTS,
  ...TEAM_REFINEMENTS,
  'session.suspend': { sessionWord: true, examples: ['session suspend build-auth --reason "waiting for review"'] },
  'session.resume': { sessionWord: true, examples: ['session resume build-auth'] },
  'session.end': {
    sessionWord: true,
    removes: true,
    words: { outcome: 'how it ended: completed, failed or cancelled' },
    examples: ['session end build-auth', 'session end build-auth --outcome cancelled --reason "not needed any more"'],
  },
  'session.mark': {
    words: { name: 'what to call it', at: 'the point; now when left out' },
    examples: ['session mark draft-done', 'session mark before-lunch 2h'],
  },
  'session.unmark': { words: { name: 'the mark' }, examples: ['session unmark draft-done'] },
  'session.restore': {
    hidden: ['changes', 'claims'],
    removes: true,
    words: { to: 'the point whose state comes back' },
    examples: ['session restore draft-done --dry-run', 'session restore @-3 --reason "wrong plan"'],
  },
  'session.activate': { sessionWord: true, examples: ['session activate build-auth'] },
  'session.terminate': {
    sessionWord: true,
    words: { reason: 'why' },
    examples: ['session terminate build-auth --reason "enough for today"'],
  },
  'session.extend': {
    words: { hours: 'from now', forever: 'without an end' },
    examples: ['session extend 8', 'session extend --forever'],
  },
  'session.configure': {
    words: {
      max_parallel_agents: 'agents that hold claims at the same time',
      consent_mode: 'explicit, informed or automatic',
      gated: 'an operation that wants consent',
      none_gated: 'no operation wants consent',
      delay_ms: 'informed: how long an announcement stands before it is carried out',
      auto_cleanup: 'whether gc may put the session away when it has ended',
      auto_persistence_interval: 'seconds, for programs that read the document; here every write is durable at once',
    },
    switches: ['auto_cleanup'],
    examples: [
      'session configure --consent-mode informed --delay-ms 60000',
      'session configure --gated lock.break --gated session.restore',
    ],
  },
  'consent.ask': {
    words: { operation: 'such as lock.break', note: 'what the person should know' },
    examples: ['consent ask lock.break "worker-2 is gone" --as agent:worker-1'],
  },
  'consent.grant': {
    words: { for: 'agent:NAME, tool:NAME; everybody when left out', uses: 'how often; once when left out' },
    examples: ['consent grant lock.break --for agent:worker-1', 'consent grant lock.break --uses 3'],
  },
  'consent.deny': {
    words: { for: 'agent:NAME, tool:NAME; everybody when left out', note: 'why' },
    examples: ['consent deny lock.break "ask worker-2 first" --for agent:worker-1'],
  },
  'task.add': {
    words: { needs: 'what must be completed first', effort: 'estimate, in points' },
    examples: ['task add "hash passwords" --priority high', 'task add "test them" --needs task-1 --sprint sprint-1'],
  },
  'task.graph': {
    words: { all: 'also what is completed or cancelled' },
    examples: ['task graph', 'task graph mermaid --all'],
  },
  'task.claim': {
    words: { any: 'the first that is ready, by priority, then age', ttl_ms: 'how long the claim holds' },
    examples: ['task claim --any --as agent:worker-1', 'task claim task-3'],
  },
  'task.import': { internal: true },
  'dependency.add': {
    words: { type: 'from blocks to, from enables to, or from requires to' },
    examples: ['dependency add task-1 task-2', 'dependency add task-2 resource:db --type requires'],
  },
  'dependency.break': {
    words: { to: 'the other end; when left out, the weakest is proposed' },
    examples: ['dependency break task-3', 'dependency break task-1 task-2 --reason "agreed with ana"'],
  },
  'dependency.tell': {
    words: { status: 'available, or what else became of it' },
    examples: ['dependency tell resource:db available'],
  },
  'session.acquire': { internal: true, hidden: ['process'], words: { ttl_ms: 'how long' } },
  'session.renew': { internal: true },
  'runner.join': { internal: true },
  'runner.renew': { internal: true },
  'runner.leave': { internal: true },
  'session.release': { internal: true },
  'session.recover': { internal: true },
  'session.tidy': {
    words: { older_ms: 'least age; a day when left out' },
    examples: ['session tidy --dry-run', 'session tidy --older-ms 3600000'],
  },
  'session.repair': { internal: true },
  'activity.record': { internal: true },
  'activity.launch': { internal: true, hidden: ['process'] },
  'activity.meter': { internal: true },
  'activity.close': { internal: true },
  'activity.show': {
    words: { run: 'its id, or that which the agent CLI gave it' },
    examples: ['activity show claude 7b0e1c52-1111-4222-8333-944445555666'],
  },
  'session.depart': { internal: true, hidden: ['from'] },
  'session.return': { internal: true, hidden: ['at'] },
  'session.arrive': { internal: true, hidden: ['at'] },
  'session.share': {
    words: { with: 'everybody it is shared with' },
    examples: ['session share --with ana@example.org --with bo@example.org'],
  },
  'message.send': {
    words: {
      payload: 'what is said: JSON if it parses, else a text',
      to: 'an agent, or human:NAME',
      channel: 'broadcast: to all; emergency: goes before everything, to all when --to is left out',
      correlation_id: 'what it belongs to, such as the message it answers',
      ttl_ms: 'nobody wants it after that',
      max_deliveries: 'how often it is tried before it is a dead letter; 5 when left out',
    },
    examples: [
      'message send "which hash?" --to worker-1 --priority high --as agent:lead',
      'message send \'{"file":"a.ts"}\' --to worker-1 --to worker-2 --type task_assigned',
      'message send "stop" --channel emergency',
    ],
  },
  'message.ack': {
    words: { id: 'of the message', token: 'what it came with', agent: 'whose inbox; your own when left out' },
    examples: ['message ack 0197… 42 --as agent:worker-1'],
  },
  'message.answer': {
    words: {
      id: 'of the message',
      payload: 'what is answered: JSON if it parses, else a text',
      agent: 'whose inbox; your own when left out',
      max_deliveries: 'how often the answer is tried before it is a dead letter; 5 when left out',
    },
    examples: ['message answer 0197… "argon2" --as human:ana'],
  },
  'message.renew': {
    words: { id: 'of the message', token: 'what it came with', agent: 'whose inbox; your own when left out' },
    examples: ['message renew 0197… 42 --as agent:worker-1'],
  },
  'message.list': {
    words: {
      agent: 'only of this inbox',
      status: 'ready, leased or dead',
      correlation_id: 'only what belongs to this',
    },
    examples: ['message list', 'message list --agent worker-1 --status dead --json'],
  },
  'message.return': {
    words: {
      reject: 'put it among the dead letters at once',
      note: 'why',
      agent: 'whose inbox; your own when left out',
    },
    examples: ['message return 0197… 42', 'message return 0197… 42 --reject --note "not a question"'],
  },
  'handoff.create': {
    words: {
      to: 'the agent it is for',
      task_id: 'the task it is about',
      artifacts: 'a file that comes with it',
      work_completed: 'what is done',
      next_steps: 'what is to be done',
      notes: 'what else one should know',
    },
    examples: [
      'handoff create worker-2 task-12 --artifacts src/auth.ts --work-completed "schema" --next-steps "tests" --as agent:worker-1',
    ],
  },
  'handoff.accept': {
    words: { id: 'of the handoff' },
    examples: ['handoff accept 0197… --as agent:worker-2'],
  },
  'handoff.reject': {
    words: { id: 'of the handoff', reason: 'why' },
    examples: ['handoff reject 0197… --reason "no access"'],
  },
  'handoff.list': {
    words: { agent: 'from or to this one', status: 'pending, acknowledged, completed or rejected' },
    examples: ['handoff list', 'handoff list --agent worker-2 --status pending'],
  },
  'step.start': { internal: true },
  'step.adopt': { internal: true },
  'step.finish': { internal: true },
  'step.fail': { internal: true },
  'step.reuse': { internal: true },
  'step.gate': { internal: true },
  'step.park': {
    words: {
      step: 'name of the step',
      reason: 'what the person should know',
      gone: 'also where it runs by `once` on a host that is gone; said by a person',
    },
    examples: ['step park lint --reason "quota"', 'step park pay --gone'],
  },
  'step.release': {
    words: { step: 'name of the step or gate' },
    examples: ['step release lint', 'step release plan:approval --reason "looks right"'],
  },
  'step.retry': { words: { step: 'name of the step' }, examples: ['step retry lint'] },
  'step.show': { words: { step: 'name of the step' }, examples: ['step show lint', 'step show lint --json'] },
  'supervise.begin': {
    words: { worker: 'who begins', supervisor: 'which; the only running one when left out' },
    examples: ['supervise begin api', 'supervise begin api --supervisor build --json'],
  },
  'supervise.retry': {
    words: {
      workers: 'which; all that failed or were skipped when left out',
      supervisor: 'which; the only one that is not completed when left out',
    },
    examples: ['supervise retry', 'supervise retry api --supervisor build'],
  },
  'supervise.stop': {
    words: { supervisor: 'which; the only running one when left out', reason: 'why' },
    examples: ['supervise stop research --reason "enough is known"'],
  },
  'supervise.list': { examples: ['supervise list', 'supervise list --json'] },
  'workflow.fail': {
    words: { reason: 'what went wrong', class: 'transient, terminal or unknown; transient when left out' },
    examples: ['workflow fail "3 tests fail"', 'workflow fail "quota is used up" --class terminal'],
  },
  'workflow.retry': {
    words: { approve: 'a person has seen to it: the count begins anew' },
    examples: ['workflow retry', 'workflow retry --approve'],
  },
  'workflow.complete': { examples: ['workflow complete'] },
  'workflow.restart': { examples: ['workflow restart'] },
  'workflow.graph': {
    words: { format: 'text, mermaid or dot; text when left out', steps: 'with the steps and what they need' },
    examples: ['workflow graph', 'workflow graph mermaid --steps', 'workflow graph dot | dot -Tsvg'],
  },
  'workflow.detect-scope': {
    anywhere: true,
    words: { description: 'what somebody asks for', explain: 'also say which rule decided' },
    examples: [
      'workflow detect-scope "only research how sign-in works"',
      'workflow detect-scope "fix the login" --explain',
    ],
  },
}

export const refinementOf = (operation: string): Refinement => REFINEMENTS[operation] ?? {}
