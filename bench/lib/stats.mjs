export const sorted = (values) => Float64Array.from(values).sort()

export function quantile(values, q) {
  const ordered = sorted(values)
  return ordered[Math.min(ordered.length - 1, Math.floor(ordered.length * q))]
}

export function median(values) {
  const ordered = sorted(values)
  const middle = ordered.length >> 1
  return ordered.length % 2 === 1 ? ordered[middle] : (ordered[middle - 1] + ordered[middle]) / 2
}

/** Median, least and most of one figure over the rounds. */
export function spread(values) {
  const ordered = sorted(values)
  return { median: median(values), min: ordered[0], max: ordered[ordered.length - 1], rounds: ordered.length }
}

/** Jain's index: 1 when everybody got the same, 1/n when one got it all. */
export function jain(values) {
  const total = values.reduce((sum, value) => sum + value, 0)
  return total ** 2 / (values.length * values.reduce((sum, value) => sum + value * value, 0))
}
