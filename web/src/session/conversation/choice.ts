/** Which conversation is shown, and which there are to choose from. */

/** Of `chat.list`. */
export interface ConversationRow {
  readonly id: string
  readonly title: string
  readonly messages: number
  readonly archived: boolean
  /** Id of the one that it is part of by now. */
  readonly merged_into: string | null
}

/** One that was merged is shown as what it is part of, which stands here itself. */
export const choicesIn = (rows: readonly ConversationRow[]): readonly ConversationRow[] =>
  rows.filter((row) => row.merged_into === null)

/** Without a name the first that goes on; undefined when there is none of that name. */
export function chosenOf(rows: readonly ConversationRow[], named: string | undefined): ConversationRow | undefined {
  const choices = choicesIn(rows)
  if (named === undefined) return choices.find((row) => !row.archived) ?? choices[0]
  const wanted = rows.find((row) => row.id === named)?.merged_into ?? named
  return choices.find((row) => row.id === wanted)
}
