/*
 * What writers said, held against what the store holds.
 *
 *   H1 every acknowledged id is there, once     H2 nothing is there that was never tried
 *   H3 each writer's ids are in its own order   H4 what was read before is a prefix of what is read now
 */
export class History {
  readonly tried = new Set<string>()
  readonly acked = new Set<string>()
  readonly refused = new Map<string, string>()

  hear(line: string): void {
    const [word = '', id = '', code = ''] = line.split(' ')
    if (word === 'TRY') this.tried.add(id)
    if (word === 'ACK') this.acked.add(id)
    if (word === 'ERR') this.refused.set(id, code)
  }

  /** Findings, one short sentence each; none when the store kept its word. */
  judge(ids: readonly string[], before: readonly string[] = []): readonly string[] {
    const there = new Set(ids)
    const lost = [...this.acked].filter((id) => !there.has(id))
    const phantoms = ids.filter((id) => !this.tried.has(id))
    const changed = before.findIndex((id, at) => ids[at] !== id)
    return [
      ...(lost.length > 0 ? [`acknowledged lost: ${lost.length}, first ${lost[0]}`] : []),
      ...(there.size < ids.length ? [`doubled: ${ids.length - there.size}`] : []),
      ...(phantoms.length > 0 ? [`never tried: ${phantoms[0]}`] : []),
      ...(changed >= 0 ? [`history changed at ${changed}: ${before[changed]} became ${ids[changed]}`] : []),
      ...outOfOrder(ids),
    ]
  }
}

function outOfOrder(ids: readonly string[]): readonly string[] {
  const last = new Map<string, number>()
  for (const id of ids) {
    const cut = id.lastIndexOf('-')
    const [writer, n] = [id.slice(0, cut), Number(id.slice(cut + 1))]
    if (n <= (last.get(writer) ?? -1)) return [`out of its writer's order: ${id}`]
    last.set(writer, n)
  }
  return []
}
