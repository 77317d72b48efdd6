// One pass over the newlines of a text.

/** Line of an offset, for offsets that only grow; linear over all calls. */
export function lineCounter(code) {
  let line = 1
  let next = code.indexOf('\n')
  return (at) => {
    while (next >= 0 && next < at) {
      line++
      next = code.indexOf('\n', next + 1)
    }
    return line
  }
}
