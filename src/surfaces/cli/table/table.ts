/*
 * The one table of commands: those written by hand, and one for each operation that has none.
 *
 * A line that names a noun loads only the operations of that noun; help and completion load all.
 */
import { EngineError } from '../../../kernel/error.ts'
import type { Operation } from '../../../kernel/operation/operation.ts'
import type { App } from '../context/app.ts'
import type { Command } from '../syntax/command.ts'
import { generated } from './generated.ts'

export class Table {
  readonly #written: readonly Command<App>[]
  readonly #operations: App['operations']

  constructor(written: readonly Command<App>[], operations: App['operations']) {
    this.#written = written
    this.#operations = operations
  }

  async all(): Promise<readonly Command<App>[]> {
    return this.#with(await this.#operations.all())
  }

  /** Everything that a line beginning with this word needs: all names, but only the operations of that noun. */
  async around(word: string): Promise<readonly Command<App>[]> {
    if (!this.#operations.nouns.includes(word)) return this.#with([])
    const all = await this.#operations.all()
    return this.#with(all.filter(({ name }) => name.startsWith(`${word}.`)))
  }

  async builtin(name: string): Promise<Command<App>> {
    const command = this.#written.find((each) => each.name === name)
    if (command === undefined) throw new EngineError('UNEXPECTED', `no command ${name}`)
    return command
  }

  #with(operations: readonly Operation[]): readonly Command<App>[] {
    const names = new Set(this.#written.map(({ name }) => name))
    const made = operations.filter((operation) => !names.has(operation.name.replace('.', ' '))).map(generated)
    return [...this.#written, ...made]
  }
}
