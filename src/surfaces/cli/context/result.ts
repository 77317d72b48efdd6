/** Of what was asked some was not done; the answer says what. */
export const EXIT_PARTIAL = 10
/** What was asked about is bad, and the answer says so: as with a store that is away, and with a damaged log. */
export const EXIT_UNAVAILABLE = 8
export const EXIT_INTEGRITY = 9

/** What a command answers. */
export interface Result {
  /** `data` of the JSON form. */
  readonly data: unknown
  /** For people, without the last newline; nothing is printed when it is empty. */
  readonly text: string | (() => string)
  /** Exit status when it is not 0 although there is an answer. */
  readonly exit?: number
}
