/** What comes from elsewhere may have been given a name there that another session has here. */
import { nameOf } from '../../../kernel/about-session.ts'
import { EngineError } from '../../../kernel/error.ts'
import type { Session } from '../../../kernel/session.ts'
import type { App } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { plain } from '../show/text.ts'

/** Tells where the name of this session means another; answers the word that means this one, its name or its id. */
export async function tellNamesake(context: Context<App>, { id }: Pick<Session, 'id'>): Promise<string> {
  const workspace = await context.workspace()
  const session = await workspace.session(id)
  const name = nameOf(session)
  await session.close()
  if (await means(workspace.session(name), id)) return name
  const rename = context.kept(`steadfold session rename ${id} NEW-NAME`)
  context.io.err(`warning: another session here is called "${plain(name)}": name this one by its id, or ${rename}\n`)
  return id
}

async function means(named: Promise<Session>, id: string): Promise<boolean> {
  try {
    const session = await named
    await session.close()
    return session.id === id
  } catch (error) {
    if (error instanceof EngineError && error.code === 'SESSION_AMBIGUOUS') return false
    throw error
  }
}
