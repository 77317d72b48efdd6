/** M1: what a model can do something about is the result of a tool; everything else is an error of the protocol. */
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type CallToolResult,
} from '@modelcontextprotocol/server'
import { asError, EngineError, exitStatus } from '../../kernel/error.ts'

/** Unexpected, unavailable, damaged. */
const FAILURES = new Set([1, 8, 9])

type No = Pick<EngineError, 'code' | 'message' | 'hint' | 'details'>

/** The no of a rule with the moves that are left; `tools` are those that hints may name. */
export function refused({ code, message, hint, details }: No, tools: readonly string[]): CallToolResult {
  const next = hint === undefined ? [] : [`next: ${hint}`]
  const named = toolsIn(`${message} ${hint ?? ''}`, tools)
  const lines = [
    `${code}: ${message}`,
    ...(details === undefined ? [] : [`details: ${JSON.stringify(details)}`]),
    ...next,
    ...(named.length === 0 ? [] : [`as a tool: ${named.join(', ')}`]),
  ]
  return {
    content: [{ type: 'text', text: lines.join('\n') }],
    isError: true,
    _meta: { 'steadfold/error': { code, message, hint: hint ?? null, details: details ?? null } },
  }
}

/** A refusal when a rule said no, else throws an error of the protocol. */
export function asRefusal(error: unknown): No {
  if (error instanceof EngineError && !FAILURES.has(exitStatus(error.code))) return error
  throw asFailure(error)
}

export function asFailure(error: unknown): ProtocolError {
  if (error instanceof ProtocolError) return error
  if (!(error instanceof EngineError)) return new ProtocolError(ProtocolErrorCode.InternalError, asError(error).message)
  const { code, message, hint, details } = error
  const kind = FAILURES.has(exitStatus(code)) ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams
  return new ProtocolError(kind, hint === undefined ? message : `${message}; ${hint}`, {
    code,
    hint: hint ?? null,
    details: details ?? null,
  })
}

const NOT_FOUND = 3

/** For resources, which have no results that are errors. */
export const resourceFailure = (uri: string, error: unknown): ProtocolError =>
  error instanceof EngineError && exitStatus(error.code) === NOT_FOUND
    ? new ResourceNotFoundError(uri, error.message)
    : asFailure(error)

/** `steadfold task claim T-1` names task_claim. */
function toolsIn(text: string, tools: readonly string[]): readonly string[] {
  const named = [...text.matchAll(/steadfold ([a-z]+) ([a-z]+)/g)].map(([, noun, verb]) => `${noun}_${verb}`)
  return [...new Set(named)].filter((name) => tools.includes(name))
}
