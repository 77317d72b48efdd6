/** Colour for people: never the only sign of anything. */
export interface Paint {
  readonly on: boolean
  bold(text: string): string
  dim(text: string): string
  red(text: string): string
  green(text: string): string
  yellow(text: string): string
  blue(text: string): string
  magenta(text: string): string
  cyan(text: string): string
}

export function makePaint(on: boolean): Paint {
  const style = (open: number, close: number) => (text: string) =>
    on && text !== '' ? `\x1b[${open}m${text}\x1b[${close}m` : text
  return {
    on,
    bold: style(1, 22),
    dim: style(2, 22),
    red: style(31, 39),
    green: style(32, 39),
    yellow: style(33, 39),
    blue: style(34, 39),
    magenta: style(35, 39),
    cyan: style(36, 39),
  }
}

/** `when` is --color; then NO_COLOR, FORCE_COLOR, TERM=dumb and who is reading. */
export function wantsColour(
  when: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
  terminal: () => boolean,
): boolean {
  if (when === 'always' || when === 'never') return when === 'always'
  if ((env['NO_COLOR'] ?? '') !== '') return false
  const forced = env['FORCE_COLOR'] ?? ''
  if (forced !== '') return forced !== '0' && forced !== 'false'
  return env['TERM'] !== 'dumb' && !isAutomated(env) && terminal()
}

/** No colour, spinner or prompt for programs: continuous integration and coding agents. */
export function isAutomated(env: Readonly<Record<string, string | undefined>>): boolean {
  const isSet = (name: string) => !['', '0', 'false', undefined].includes(env[name])
  return (
    isSet('CI') ||
    isSet('CLAUDECODE') ||
    isSet('GEMINI_CLI') ||
    Object.keys(env).some((name) => name.startsWith('CODEX_') && isSet(name))
  )
}
