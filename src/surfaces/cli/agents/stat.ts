import * as fs from 'node:fs'

/** Undefined for what is not there, or not for us to see. */
export function statOf(file: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(file)
  } catch {
    return undefined
  }
}
