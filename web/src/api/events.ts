/** Server-sent events out of a stream of text, as the HTML standard cuts them. */

export interface ServerEvent {
  readonly type: string
  /** Where to go on behind it. */
  readonly id: string | undefined
  readonly data: string
}

/** Takes pieces as they come and gives the events that they complete. */
export function eventReader(): (piece: string) => readonly ServerEvent[] {
  let rest = ''
  return (piece) => {
    const blocks = (rest + piece).split('\n\n')
    rest = blocks.pop() ?? ''
    return blocks.map(eventOf).filter(({ data }) => data !== '')
  }
}

function eventOf(block: string): ServerEvent {
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^([^:]*): ?(.*)$/.exec(line) ?? []
    fields.set(name, fields.has(name) ? `${fields.get(name)}\n${value}` : value)
  }
  return { type: fields.get('event') ?? 'message', id: fields.get('id'), data: fields.get('data') ?? '' }
}
