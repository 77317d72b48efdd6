import { loseHolder } from './lost.ts'
import type { Stage } from './play.ts'
import { room, talk } from './talk.ts'
import { setUp } from './team.ts'
import { needs, work } from './work.ts'

/** Performs all of it; gives the id of the session to look at first. */
export async function sample({ open, later }: Stage, name: string): Promise<string> {
  await loseHolder(await open(`${name}-docs`, 'Refresh the documentation'))
  later(60_000)
  const scene = await open(name, 'Add sign-in to the accounts service')
  await setUp(scene)
  await talk(scene)
  await work(scene)
  await scene.fork(`${name}-sketch`, 'research-done')
  await needs(scene)
  await room(scene)
  return scene.id
}
