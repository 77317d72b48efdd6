/*
 * Filter expressions as closures over the current value and the root. `undefined` stands for Nothing.
 */
import { FunctionExpressionType, type JSONPathQuery, JSONPathSyntaxError, jsonpath } from 'json-p3'
import { type Keys, readerOf } from '../../kernel/path/path.ts'
import { comparisons } from './compare.ts'
import { functions } from './functions.ts'
import { collectValues, type Visit } from './node.ts'
import { compileQuick } from './quick.ts'

type Expression = jsonpath.expressions.FilterExpression
type Test = (current: unknown, root: unknown) => boolean
type Operand = (current: unknown, root: unknown) => unknown
/** The values of the nodes: no function asks for their paths. */
type Nodes = (current: unknown, root: unknown) => readonly unknown[]

/** How queries inside a filter are compiled; handed in because they may hold filters themselves. */
export type Compile = (query: JSONPathQuery) => Visit

const {
  BooleanLiteral,
  FilterQuery,
  FunctionExtension,
  InfixExpression,
  LogicalExpression,
  NullLiteral,
  NumberLiteral,
  PrefixExpression,
  RootQuery,
  StringLiteral,
} = jsonpath.expressions
const { IndexSelector, NameSelector } = jsonpath.selectors

export function compileTest(expression: Expression, compile: Compile): Test {
  if (expression instanceof LogicalExpression) return compileTest(expression.expression, compile)
  if (expression instanceof PrefixExpression) return negate(compileTest(expression.right, compile))
  if (expression instanceof InfixExpression) return compileInfix(expression, compile)
  if (expression instanceof FilterQuery) return compileExistence(expression, compile)
  if (expression instanceof FunctionExtension) {
    const call = compileCall(expression, compile)
    return (current, root) => call(current, root) === true
  }
  throw new JSONPathSyntaxError(`${String(expression)} is not a test`, expression.token)
}

const negate =
  (test: Test): Test =>
  (current, root) =>
    !test(current, root)

function compileInfix(expression: jsonpath.expressions.InfixExpression, compile: Compile): Test {
  const { left, operator, right } = expression
  if (operator === '&&' || operator === '||') {
    return connect(operator, compileTest(left, compile), compileTest(right, compile))
  }
  return (
    compileQuick(left, operator, right) ??
    compileComparison(operator, compileOperand(left, compile), compileOperand(right, compile))
  )
}

const connect = (operator: '&&' | '||', left: Test, right: Test): Test =>
  operator === '&&'
    ? (current, root) => left(current, root) && right(current, root)
    : (current, root) => left(current, root) || right(current, root)

function compileComparison(operator: string, left: Operand, right: Operand): Test {
  const compare = comparisons[operator]
  if (compare === undefined) throw new TypeError(`RFC 9535 has no operator ${operator}`)
  return (current, root) => compare(left(current, root), right(current, root))
}

function compileOperand(expression: Expression, compile: Compile): Operand {
  if (expression instanceof NullLiteral) return () => null
  if (
    expression instanceof BooleanLiteral ||
    expression instanceof StringLiteral ||
    expression instanceof NumberLiteral
  ) {
    const { value } = expression
    return () => value
  }
  if (expression instanceof FilterQuery) return compileSingular(expression)
  if (expression instanceof FunctionExtension) return compileCall(expression, compile)
  throw new JSONPathSyntaxError(`${String(expression)} is not a value`, expression.token)
}

/** json-p3 lets only singular queries be compared or given where a value is wanted. */
function compileSingular(query: jsonpath.expressions.FilterQuery): Operand {
  const read = readerOf(singularKeys(query.path))
  return query instanceof RootQuery ? (_current, root) => read(root) : (current) => read(current)
}

function singularKeys(query: JSONPathQuery): Keys {
  return query.segments.map(({ selectors: [selector] }) => {
    if (selector instanceof NameSelector) return selector.name
    if (selector instanceof IndexSelector) return selector.index
    throw new TypeError(`${String(query)} is not singular`)
  })
}

function compileExistence(query: jsonpath.expressions.FilterQuery, compile: Compile): Test {
  if (query.path.singularQuery()) {
    const read = compileSingular(query)
    return (current, root) => read(current, root) !== undefined
  }
  const nodes = compileNodes(query, compile)
  return (current, root) => nodes(current, root).length > 0
}

function compileNodes(query: jsonpath.expressions.FilterQuery, compile: Compile): Nodes {
  const visit = compile(query.path)
  return query instanceof RootQuery
    ? (_current, root) => collectValues(visit, root, root)
    : (current, root) => collectValues(visit, current, root)
}

function compileCall(call: jsonpath.expressions.FunctionExtension, compile: Compile): Operand {
  const make = functions[call.name]
  if (make === undefined) throw new TypeError(`RFC 9535 has no function ${call.name}`)
  const { types, run } = make()
  const operands = call.args.map((arg, index) => compileArgument(arg, types[index], compile))
  const [first, second] = operands
  if (first === undefined) return () => run(undefined, undefined)
  if (second === undefined) return (current, root) => run(first(current, root), undefined)
  return (current, root) => run(first(current, root), second(current, root))
}

function compileArgument(arg: Expression, type: FunctionExpressionType | undefined, compile: Compile): Operand {
  const wantsNodes = type === FunctionExpressionType.NodesType
  return wantsNodes && arg instanceof FilterQuery ? compileNodes(arg, compile) : compileOperand(arg, compile)
}
