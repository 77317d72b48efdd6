/** So many of something, in words: 1 task, 2,000 tasks. */
export const counted = (n: number, what: string): string => `${n.toLocaleString('en')} ${what}${n === 1 ? '' : 's'}`
