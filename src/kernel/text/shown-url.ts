/** An address in a text as people may see it: without passwords and, of the web, without users, who may be tokens. */
export const shownUrl = (text: string): string =>
  text
    .replaceAll(/\b(https?:\/\/)[^/?#\s]*@/gi, '$1')
    .replaceAll(/\b([a-z][a-z0-9+.-]*:\/\/[^/?#\s:@]*):[^/?#\s]*@/gi, '$1@')
