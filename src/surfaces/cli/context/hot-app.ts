/* What a command that must start fast is handed. */
import type { Catalogue } from '../../../kernel/operation/operation.ts'
import type { Workspace } from '../../../kernel/workspace.ts'

export interface OpenAt {
  /** Folder that holds, or will hold, `.steadfold`. */
  readonly dir: string
  readonly create: boolean
}

/** Enough for the hot commands. */
export interface HotApp {
  readonly operations: Catalogue
  /** The folder of this machine that stands for a database's address. */
  folderFor(address: string): string
  openWorkspace(at: OpenAt): Promise<Workspace>
}
