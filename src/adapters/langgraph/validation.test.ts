import { deltaChannelHistoryTests, validate } from '@langchain/langgraph-checkpoint-validation'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { begin } from '../../../test/domain/begin.ts'
import { SteadfoldSaver } from './langgraph.ts'

// The suite of LangGraph.js finds vitest in the global scope.
Object.assign(globalThis, { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it })

const initializer = {
  checkpointerName: 'steadfold/langgraph',
  createCheckpointer: async () => new SteadfoldSaver((await begin()).session),
}

validate(initializer)
deltaChannelHistoryTests(initializer)
