export interface Host {
  readonly host: string
  /** The address with this host alone. */
  readonly url: string
}

/** `place` of an address names one host, or several with commas. */
export function hostsIn(place: string, query: string): readonly Host[] {
  const [, before = '', list = '', behind = ''] = /^([a-z]+:\/\/(?:[^/]*@)?)([^/]*)(.*)$/.exec(place) ?? []
  return list.split(',').map((each) => {
    const [, host = ''] = /^\[?(.*?)\]?(?::\d+)?$/.exec(each) ?? []
    return { host, url: `${before}${each}${behind}${query}` }
  })
}
