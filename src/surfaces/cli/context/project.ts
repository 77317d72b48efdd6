/** What a folder tells of the project in it. */
import * as fs from 'node:fs'
import * as path from 'node:path'

export interface Project {
  readonly workspace_path: string
  readonly project_name: string
  readonly git_branch?: string
}

export function projectAt(dir: string): Project {
  const branch = branchAt(dir)
  return {
    workspace_path: dir,
    project_name: path.basename(dir),
    ...(branch === undefined ? {} : { git_branch: branch }),
  }
}

/** Undefined outside of git, and where no branch is checked out. */
function branchAt(dir: string): string | undefined {
  const git = path.join(dir, '.git')
  // In a worktree it is a file that names the folder.
  const linked = /^gitdir: (.+)$/m.exec(textOf(git) ?? '')?.[1]
  const head = textOf(path.join(linked === undefined ? git : path.resolve(dir, linked), 'HEAD'))
  return /^ref: refs\/heads\/(.+)$/m.exec(head ?? '')?.[1]
}

function textOf(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
