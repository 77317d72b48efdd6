/*
 * The comparisons that most filters are made of, `@.name == 'text'` and `@.name > 7`, without calls in between. Each
 * operator has a function text of its own, and with it inline caches that other comparisons do not wear out.
 */
import { jsonpath } from 'json-p3'
import { isOrdinary } from '../../kernel/path/path.ts'

type Expression = jsonpath.expressions.FilterExpression
type Test = (current: unknown) => boolean
type Members = Readonly<Record<string, unknown>> | null

const { BooleanLiteral, NullLiteral, NumberLiteral, RelativeQuery, StringLiteral } = jsonpath.expressions

/** Undefined when the comparison is not of that form. */
export function compileQuick(left: Expression, operator: string, right: Expression): Test | undefined {
  const name = memberName(left)
  if (name === undefined) return undefined
  if (right instanceof NumberLiteral) return withNumber(name, operator, right.value)
  if (right instanceof StringLiteral || right instanceof BooleanLiteral) return withScalar(name, operator, right.value)
  return right instanceof NullLiteral ? withScalar(name, operator, null) : undefined
}

function memberName(expression: Expression): string | undefined {
  if (!(expression instanceof RelativeQuery) || expression.path.segments.length !== 1) return undefined
  const selector = expression.path.segments[0]?.selectors[0]
  if (!expression.path.singularQuery() || !(selector instanceof jsonpath.selectors.NameSelector)) return undefined
  return isOrdinary(selector.name) ? selector.name : undefined
}

// Any JSON value may be asked for an ordinary key (kernel/path/path.ts); what has no such member answers undefined.
function withScalar(name: string, operator: string, scalar: unknown): Test | undefined {
  switch (operator) {
    case '==':
      return (current) => (current as Members)?.[name] === scalar
    case '!=':
      return (current) => (current as Members)?.[name] !== scalar
    default:
      return undefined
  }
}

function withNumber(name: string, operator: string, number: number): Test | undefined {
  switch (operator) {
    case '<':
      return (current) => {
        const value = (current as Members)?.[name]
        return typeof value === 'number' && value < number
      }
    case '<=':
      return (current) => {
        const value = (current as Members)?.[name]
        return typeof value === 'number' && value <= number
      }
    case '>':
      return (current) => {
        const value = (current as Members)?.[name]
        return typeof value === 'number' && value > number
      }
    case '>=':
      return (current) => {
        const value = (current as Members)?.[name]
        return typeof value === 'number' && value >= number
      }
    default:
      return withScalar(name, operator, number)
  }
}
