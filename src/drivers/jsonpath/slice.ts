export interface Slice {
  readonly start?: number | undefined
  readonly stop?: number | undefined
  readonly step?: number | undefined
}

/** The indices a slice selects of an array, in its order (RFC 9535, section 2.3.4.2). */
export function* sliceIndices(slice: Slice, length: number): Generator<number> {
  const step = slice.step ?? 1
  if (step > 0) {
    const end = bound(slice.stop ?? length, length, 0, length)
    for (let i = bound(slice.start ?? 0, length, 0, length); i < end; i += step) yield i
  } else if (step < 0) {
    const end = slice.stop === undefined ? -1 : bound(slice.stop, length, -1, length - 1)
    const start = slice.start === undefined ? length - 1 : bound(slice.start, length, -1, length - 1)
    for (let i = start; i > end; i += step) yield i
  }
}

/** A negative index counts from the end; what lies outside is moved to the nearest end. */
function bound(index: number, length: number, low: number, high: number): number {
  return Math.min(Math.max(index < 0 ? length + index : index, low), high)
}
