import { corrupt } from '../../../kernel/log/replay.ts'
import type { RunOptions } from '../../../kernel/operation/answer.ts'
import type { Session } from '../../../kernel/session.ts'
import { kept } from '../../../kernel/text/kept.ts'
import type { Workspace } from '../../../kernel/workspace.ts'
import type { Io } from '../show/io.ts'
import { makePaint, wantsColour, type Paint } from '../show/paint.ts'
import { actorIn, checkedActor, type Environment } from './actor.ts'
import { inWorktree } from './checkout.ts'
import type { HotApp } from './hot-app.ts'
import { isOn, keyOf, numberOf, textOf, usage, type Input } from './input.ts'
import { chooseSession, damageText, isAddress, workspaceDir, type Chosen, type Use } from './scope.ts'

export interface World {
  readonly io: Io
  readonly env: Environment
  readonly cwd: string
  /** Aborted by Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal
  readonly isStopped: boolean
  /** Calls back when it is stopped, and asks for no time to stop. */
  onStop?(then: () => void): void
}

/** What a running command has at hand. */
export class Context<A extends HotApp = HotApp> {
  readonly app: A
  readonly io: Io
  readonly env: Environment
  readonly json: boolean
  readonly #world: World
  readonly #input: Input
  readonly #command: string | undefined
  #workspace: Promise<Workspace> | undefined
  /** Whose archive it may be. */
  #base: Promise<Workspace> | undefined
  #paint: Paint | undefined
  #clock: () => number = Date.now
  /** The word of the command line that named a session, without its point. */
  #asked: string | undefined
  /** The session that was chosen last. */
  seen: Session | undefined
  /** Where the workspace is looked for, where that is not the current folder. */
  home: string | undefined

  constructor(app: A, world: World, input: Input, command?: string) {
    this.app = app
    this.#command = command
    this.#world = world
    this.io = world.io
    this.env = world.env
    this.json = isOn(input, '--json')
    this.#input = input
  }

  get cwd(): string {
    return this.#world.cwd
  }

  get signal(): AbortSignal {
    return this.#world.signal
  }

  get isStopped(): boolean {
    return this.#world.isStopped
  }

  /** By the clock of the store once it is open, as what a log says is. */
  readonly now = (): number => this.#clock()

  /** For stdout; whether that is a terminal is asked only when something is painted. */
  get paint(): Paint {
    this.#paint ??= this.paintFor('out')
    return this.#paint
  }

  paintFor(stream: 'out' | 'err'): Paint {
    return makePaint(wantsColour(textOf(this.#input, '--color'), this.env, () => this.io.isTerminal(stream)))
  }

  /** --dir, else STEADFOLD_DIR. */
  get namedDir(): string | undefined {
    return textOf(this.#input, '--dir') ?? nonEmpty(this.env['STEADFOLD_DIR'])
  }

  /** --session, else STEADFOLD_SESSION. */
  get namedSession(): string | undefined {
    return textOf(this.#input, '--session') ?? nonEmpty(this.env['STEADFOLD_SESSION'])
  }

  /** --session alone, for commands that look at all sessions otherwise. */
  get askedSession(): string | undefined {
    return textOf(this.#input, '--session')
  }

  /** --at */
  get askedPoint(): string | undefined {
    return textOf(this.#input, '--at')
  }

  /** What is told as the next step, for the same workspace and session. */
  kept(text: string, session = this.#asked ?? this.askedSession): string {
    const [dir, as] = [textOf(this.#input, '--dir'), textOf(this.#input, '--as')]
    return kept(text, { dir, session, command: this.#command, as })
  }

  /** The folder that holds `.steadfold`; throws WORKSPACE_NOT_FOUND. */
  get dir(): string {
    const named = this.namedDir
    if (named !== undefined && isAddress(named)) return this.app.folderFor(named)
    return workspaceDir(named, named?.startsWith('/') === true ? '/' : this.#from)
  }

  get #from(): string {
    return this.home ?? this.cwd
  }

  /** Where the work is: the folder that holds `.steadfold`, its like in a worktree, or, with an address, the current one. */
  get project(): string {
    if (this.namedDir !== undefined && isAddress(this.namedDir)) return this.cwd
    return inWorktree(this.dir, this.#from) ?? this.dir
  }

  workspace(): Promise<Workspace> {
    this.#workspace ??= this.#opened()
    return this.#workspace
  }

  /** With --archived, that of the archived sessions: the same commands read them. */
  async #opened(): Promise<Workspace> {
    this.#base = this.app.openWorkspace({ dir: this.dir, create: false })
    const workspace = await this.#base
    this.#clock = workspace.kernel.host.now
    this.#world.onStop?.(() => workspace.kernel.log.hurry?.())
    return isOn(this.#input, '--archived') ? workspace.archived() : workspace
  }

  /** `named` is a word of the command line that names the session itself. */
  async session(use: Use, named?: string): Promise<Session> {
    const { session, at } = await this.sessionAt(use, named)
    if (at === undefined) return session
    throw use === 'read'
      ? usage(`this tells how a session stands now, not as it was at @${at}`, 'leave the point out')
      : usage(`a point such as @${at} is for commands that read`, 'steadfold session fork goes on from a point')
  }

  async sessionAt(use: Use, named?: string): Promise<Chosen> {
    this.#asked = named ?? this.askedSession
    const workspace = await this.workspace()
    const chosen = await chooseSession(workspace, named ?? this.namedSession, use)
    this.seen = chosen.session
    if (chosen.at !== undefined) this.#asked = this.#asked?.slice(0, this.#asked.indexOf('@', 1))
    if (use === 'read') this.#tellOfDamage(workspace, chosen.session)
    // Who writes ends what was begun, and gives back what was taken.
    else void this.isStopped
    return this.askedPoint === undefined ? chosen : { ...chosen, at: this.askedPoint }
  }

  /** What the chain proves can be read; that it is not all must be said. Throws where it proves nothing. */
  #tellOfDamage({ kernel }: Workspace, { id, damage }: Session): void {
    if (damage === undefined) return
    if (damage.seq === 1) throw corrupt(id, damage, kernel.log)
    const look = this.kept(`steadfold verify${isOn(this.#input, '--archived') ? ' --archived' : ''}`)
    this.io.err(`warning: the log is ${damageText(damage)}: this is what commit ${damage.seq - 1} left; see ${look}\n`)
  }

  /** Who asks, and how: the shared flags of writes. */
  get options(): RunOptions {
    const input = this.#input
    const ifSeq = numberOf(input, '--if-seq')
    if (ifSeq !== undefined && (!Number.isInteger(ifSeq) || ifSeq < 0))
      throw usage(`--if-seq takes a sequence number, not ${ifSeq}`)
    return {
      actor: this.actor,
      ifSeq,
      key: keyOf(input),
      // What an operation is told as its reason is why, too.
      reason: textOf(input, '--reason') ?? textOf(input, 'reason'),
      dryRun: isOn(input, '--dry-run'),
    }
  }

  get actor(): string {
    return this.askedActor ?? actorIn(this.env)
  }

  /** --as alone. */
  get askedActor(): string | undefined {
    const named = textOf(this.#input, '--as')
    return named === undefined ? undefined : checkedActor(named, '--as takes')
  }

  /** One line of a stream of NDJSON. */
  event(value: Readonly<Record<string, unknown>>): void {
    if (this.json) this.io.out(`${JSON.stringify(value)}\n`)
  }

  /** A message for people. */
  note(text: string): void {
    if (!this.json) this.io.err(`${text}\n`)
  }

  async close(): Promise<void> {
    const opened = new Set<Workspace | undefined>()
    for (const each of [this.#workspace, this.#base]) opened.add(await each?.catch(() => undefined))
    for (const workspace of opened) await workspace?.close()
  }
}

const nonEmpty = (text: string | undefined): string | undefined => (text === '' ? undefined : text)
