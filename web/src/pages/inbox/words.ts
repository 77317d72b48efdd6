/** The parts of a command line as the daemon writes them: words in single quotes where they need some. */
export interface Words {
  /** Noun and verb, or the verb alone: `step release`, `recover`. */
  readonly command: string
  readonly rest: readonly string[]
  /** Empty for one that is on or off. */
  readonly flags: Readonly<Record<string, string>>
}

const isFlag = (word = ''): boolean => word.startsWith('--')

const ALONE = new Set(['recover', 'run', 'verify'])

export function wordsOf(line: string): Words {
  const [, ...words] = split(line)
  const flags: Record<string, string> = {}
  const plain: string[] = []
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ''
    if (isFlag(word)) flags[word.slice(2)] = isFlag(words[i + 1]) ? '' : (words[++i] ?? '')
    else plain.push(word)
  }
  const length = ALONE.has(plain[0] ?? '') ? 1 : 2
  return { command: plain.slice(0, length).join(' '), rest: plain.slice(length), flags }
}

const split = (line: string): readonly string[] =>
  [...line.matchAll(/(?:'[^']*'|\\.|[^\s'\\])+/g)].map(([word]) =>
    word.replaceAll(
      /'([^']*)'|\\(.)/g,
      (_all, quoted: string | undefined, one: string | undefined) => quoted ?? one ?? '',
    ),
  )
