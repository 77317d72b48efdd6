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
