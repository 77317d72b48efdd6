/** From where and up to where a log is asked for; a time lies between commits, and may lie before the first. */
import { EngineError } from '../error.ts'
import type { Session } from '../session.ts'
import { isTime } from './history.ts'

/** The last commit that a lower bound leaves out. */
export const lastBefore = async (session: Session, since: string): Promise<number> =>
  isTime(since) ? lastBy(session, since) : Math.max(0, (await session.resolve(since)) - 1)

/** 0 where the session began after that time. */
export async function lastBy(session: Session, point: string): Promise<number> {
  try {
    return await session.resolve(point)
  } catch (error) {
    if (isTime(point) && error instanceof EngineError && error.code === 'POINT_NOT_FOUND') return 0
    throw error
  }
}
