/*
 * A worktree of git, and the main checkout of its repository: agents that work side by side have a worktree each, and one
 * workspace for all.
 *
 *   here/.git, a file        gitdir: main/.git/worktrees/NAME
 *   that folder/commondir    ../..
 *   that folder/gitdir       here/.git, so that no file alone leads into somebody else's workspace
 */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { realOf } from './real-path.ts'

interface Checkout {
  /** Root of the worktree. */
  readonly here: string
  /** Folder that holds the repository: the main checkout, where there is one. */
  readonly main: string
}

/** Where `dir` would be in the main checkout; undefined where it is in no worktree. */
export const inMain = (dir: string): string | undefined => moved(dir, checkoutOf(dir), 'here', 'main')

/** The folder of the worktree `cwd` that stands for `dir` of the main checkout. */
export const inWorktree = (dir: string, cwd: string): string | undefined => moved(dir, checkoutOf(cwd), 'main', 'here')

function moved(dir: string, checkout: Checkout | undefined, from: keyof Checkout, to: keyof Checkout) {
  if (checkout === undefined) return undefined
  const inside = path.relative(checkout[from], dir)
  return /^\.\.($|\/)/.test(inside) ? undefined : path.join(checkout[to], inside)
}

function checkoutOf(dir: string): Checkout | undefined {
  let here = dir
  while (!fs.existsSync(path.join(here, '.git'))) {
    if (here === path.dirname(here)) return undefined
    here = path.dirname(here)
  }
  const file = path.join(here, '.git')
  const own = namedIn(file, here)
  const common = own && namedIn(path.join(own, 'commondir'), own)
  const back = own && namedIn(path.join(own, 'gitdir'), own)
  if (common === undefined || back === undefined || realOf(back) !== realOf(file)) return undefined
  return { here, main: path.dirname(common) }
}

/** A path in a file of git, which may be relative. */
function namedIn(file: string, from: string): string | undefined {
  try {
    const named = fs
      .readFileSync(file, 'utf8')
      .replace(/^gitdir: /, '')
      .replace(/\r?\n$/, '')
    return named === '' ? undefined : path.resolve(from, named)
  } catch {
    return undefined
  }
}
