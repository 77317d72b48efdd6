import { formatOutputs } from '../../kernel/text/output-grammar.ts'

/** O4: names by which a value would steer the loader, an interpreter, the shell itself, or a program's own hooks. */
const DENIED =
  /^(PATH|IFS|ENV|BASH_.*|BASHOPTS|SHELLOPTS|PS[0-4]|PROMPT_COMMAND|CDPATH|HOME|SHELL|LD_.*|DYLD_.*|GCONV_PATH|LOCPATH|NODE_OPTIONS|NODE_PATH|NODE_EXTRA_CA_CERTS|PYTHON.*|PERL5?.*|RUBYOPT|RUBYLIB|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|GIT_.*|SSH_.*|EDITOR|VISUAL|PAGER|BROWSER|http_proxy|https_proxy|HTTP_PROXY|HTTPS_PROXY|ALL_PROXY|STEADFOLD_.*)$/

export const isDenied = (name: string): boolean => DENIED.test(name)

export type ExportFormat = 'sh' | 'dotenv' | 'github' | 'json'

export interface Exported {
  readonly text: string
  /** Names that were left out, and why. */
  readonly skipped: readonly { readonly name: string; readonly reason: string }[]
}

type Pairs = readonly (readonly [name: string, value: string])[]

/** `plan.title` becomes the variable `plan_title` where variables are made. */
export function exported(outputs: Pairs, format: ExportFormat): Exported {
  if (format === 'github')
    return { text: formatOutputs(outputs.map(([name, value]) => ({ name, value }))), skipped: [] }
  if (format === 'json') return { text: `${JSON.stringify(Object.fromEntries(outputs), null, 2)}\n`, skipped: [] }
  const variables = outputs.map(([name, value]) => ({ name, variable: name.replace(/[.-]/g, '_'), value }))
  const reasons = variables.map(({ variable, value }, at) =>
    reasonAgainst(variable, value, variables.findIndex((other) => other.variable === variable) < at),
  )
  const kept = variables.filter((_, at) => reasons[at] === undefined)
  const skipped = variables.flatMap(({ name }, at) =>
    reasons[at] === undefined ? [] : [{ name, reason: reasons[at] }],
  )
  const line = format === 'sh' ? shellLine : dotenvLine
  return { text: kept.map(({ variable, value }) => line(variable, value)).join(''), skipped }
}

function reasonAgainst(variable: string, value: string, taken: boolean): string | undefined {
  if (isDenied(variable)) return 'it would change how programs run'
  if (value.includes('\0')) return 'a variable cannot hold a NUL'
  return taken ? `another output is exported as ${variable}` : undefined
}

/** Everything between single quotes is itself, but a single quote. */
const shellLine = (variable: string, value: string): string =>
  `export ${variable}='${value.replaceAll("'", "'\\''")}'\n`

const dotenvLine = (variable: string, value: string): string =>
  `${variable}=${/^[\w./:@-]*$/.test(value) ? value : JSON.stringify(value)}\n`
