import * as z from 'zod/mini'
import { readOperation, writeOperation } from '../../kernel/operation/operation.ts'
import { processRef } from './operations.ts'
import { decideJoin, decideLeave, decideRenew, runnerRows } from './runners.ts'

const token = z.int().check(z.positive())
const ttl_ms = z._default(z.int().check(z.minimum(10_000), z.maximum(3_600_000)), 30_000)

export const runnerOperations = [
  writeOperation({
    name: 'runner.join',
    summary: 'Take steps of the workflow beside the runner that drives it',
    input: () => z.object({ process: processRef, ttl_ms }),
    decide: decideJoin,
    answer: (events) => events.find((event) => event.type === 'runner.joined')?.data,
  }),
  writeOperation({
    name: 'runner.renew',
    summary: 'Keep the place of a runner for another while',
    input: () => z.object({ token, ttl_ms }),
    decide: decideRenew,
  }),
  writeOperation({
    name: 'runner.leave',
    summary: 'Take a runner from the list: it is done, or lost',
    input: () => z.object({ token }),
    decide: decideLeave,
  }),
  readOperation({
    name: 'runner.list',
    summary: 'Who works on the session: the runner that drives it, and those who take steps',
    input: () => z.object({}),
    read: (state) => runnerRows(state),
  }),
]
