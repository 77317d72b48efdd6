/* Words and examples for the commands of agents, pools, teams, projects and budgets. */
import type { Refinement } from './refinement.ts'

const REGISTRATION: Readonly<Record<string, string>> = {
  type: 'kind of agent; a pool of that type limits it',
  ttl_ms: 'how long it counts as there without a heartbeat',
  resources: 'what it holds',
  resume: 'this process takes the place of one that may still be there',
}

const TEAM_SWITCHES = ['require_approval', 'auto_scaling']
const TEAM: Readonly<Record<string, string>> = {
  orchestrator: 'the agent or person that leads it',
  max_parallel: 'tasks of the team that are claimed at the same time',
  require_approval: 'its tasks are completed from review, and not by who did them',
  auto_scaling: 'pools of its members follow their policy; when off, only a person scales them',
}

export const TEAM_REFINEMENTS: Readonly<Record<string, Refinement>> = {
  'agent.register': {
    words: REGISTRATION,
    examples: ['agent register planner lead', 'agent register worker-1 worker --ttl-ms 60000 --json'],
  },
  'agent.spawn': {
    words: { ...REGISTRATION, parent: 'the agent above it; the one that asks when left out' },
    examples: ['agent spawn worker-1 worker --parent planner', 'agent spawn worker-1 worker --as agent:planner'],
  },
  'agent.heartbeat': {
    words: {
      token: 'as register or spawn answered; another process may have taken over',
      task: 'what it works on',
      tokens: 'tokens used since the last heartbeat',
      errors: 'errors since the last heartbeat',
      memory_mb: 'memory in use',
      reason: 'why it is blocked',
    },
    examples: ['agent heartbeat worker-1 --token 12 --status busy --task task-3 --tokens 1800'],
  },
  'agent.assign': {
    words: { resources: 'instead of those before' },
    examples: ['agent assign worker-1 --task task-3 --resources port-3000'],
  },
  'agent.stop': {
    words: { now: 'take them away instead of asking', reason: 'why' },
    examples: ['agent stop worker-1 --reason "not needed"', 'agent stop worker-1 --now'],
  },
  'agent.leave': {
    words: { children: 'adopt: they go to its parent; remove: they go with it', cause: 'why it goes' },
    examples: ['agent leave worker-1 --token 12', 'agent leave planner --cause crashed --children adopt'],
  },
  'agent.list': {
    words: {
      type: 'only of this type',
      gone: 'the last ones that went, and why',
      orphaned: 'whose parent is not there',
    },
    examples: ['agent list', 'agent list --status busy', 'agent list --gone'],
  },
  'pool.set': {
    words: {
      type: 'the type of its agents',
      policy: 'manual, demand (by the queue) or predictive (by the queue as it will be)',
      tasks_per_agent: 'waiting tasks that one agent is there for',
    },
    examples: ['pool set worker --min 1 --max 5 --policy demand --tasks-per-agent 2'],
  },
  'pool.scale': {
    words: {
      type: 'the type of its agents',
      to: 'this many, by hand',
      depth: 'length of the queue; the tasks that are ready or worked on when left out',
    },
    examples: ['pool scale worker --json', 'pool scale worker --to 3'],
  },
  'pool.remove': { words: { type: 'the type of its agents' }, examples: ['pool remove worker'] },
  'pool.show': { words: { type: 'the type of its agents' }, examples: ['pool show worker'] },
  'team.add': {
    words: TEAM,
    switches: TEAM_SWITCHES,
    examples: ['team add engineering --orchestrator engineering-director --max-parallel 5'],
  },
  'team.set': { words: TEAM, switches: TEAM_SWITCHES, examples: ['team set engineering --require-approval'] },
  'team.join': {
    words: { capacity: 'tasks it takes at a time' },
    examples: ['team join engineering worker-1 --role "QA Engineer" --capacity 2 --skills e2e'],
  },
  'project.add': { examples: ['project add login --teams engineering --main-branch main'] },
  'project.worktree': {
    words: { folder: 'where it lies' },
    examples: ['project worktree login docs ../login-docs', 'project worktree login docs'],
  },
  'budget.set': {
    words: {
      max_concurrent_agents: 'agents at a time, at most 20',
      max_delegation_depth: 'how many agents may stand above one',
    },
    examples: ['budget set --max-concurrent-agents 8 --token-budget 2000000'],
  },
}
