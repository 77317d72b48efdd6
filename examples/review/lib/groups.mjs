// Lists by key, in order of first appearance.

export function put(groups, key, value) {
  const group = groups.get(key)
  if (group) group.push(value)
  else groups.set(key, [value])
}

export function groupBy(list, keyOf) {
  const groups = new Map()
  for (const one of list) put(groups, keyOf(one), one)
  return [...groups.values()]
}

/** The first `limit` of a list; when that leaves some out, says so in `cuts` ({ what, kept, of }). */
export function firstOf(list, limit, what, cuts) {
  if (list.length > limit) cuts.push({ what, kept: limit, of: list.length })
  return list.slice(0, limit)
}
