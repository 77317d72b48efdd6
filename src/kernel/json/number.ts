const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** Any decimal of so few digits, without an exponent, comes back as it was written. */
const ALWAYS_EXACT = 15

/** Whether a number of JSON text is written back as the same decimal (1.0 as 1 is, 9007199254740993 is not). */
export function survives(literal: string): boolean {
  if (literal.length <= ALWAYS_EXACT && !/^-0|[eE]/.test(literal)) return true
  const value = Number(literal)
  if (!Number.isFinite(value) || Object.is(value, -0)) return false
  const written = String(value)
  return written === literal || decimal(literal) === decimal(written)
}

/** One spelling for each decimal: its digits without outer zeros, and the power of ten behind them. */
function decimal(literal: string): string {
  const [, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(literal) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  const end = digits.search(/0*$/)
  if (end === 0) return '0'
  const power = Number(exponent) - fraction.length + digits.length - end
  return `${literal.startsWith('-') ? '-' : ''}${digits.slice(0, end)}e${power}`
}
