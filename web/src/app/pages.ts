/** The pages of the workspace, in the order of the navigation. Those of a session are in session/tabs.ts. */
import type { ComponentType } from 'preact'
import { HealthPage } from '../pages/health/health-page.tsx'
import { InboxPage } from '../pages/inbox/inbox-page.tsx'
import { RecoverPage } from '../pages/recover/recover-page.tsx'
import { SessionsPage } from '../pages/sessions/sessions-page.tsx'
import { TeleportPage } from '../pages/teleport/teleport-page.tsx'

export interface PageEntry {
  /** First part of the path; empty for the first page. */
  readonly at: string
  readonly title: string
  readonly keys: string
  readonly Page: ComponentType
}

export const PAGES: readonly PageEntry[] = [
  { at: '', title: 'Inbox', keys: 'g i', Page: InboxPage },
  { at: 'sessions', title: 'Sessions', keys: 'g s', Page: SessionsPage },
  { at: 'recover', title: 'Recover', keys: 'g r', Page: RecoverPage },
  { at: 'teleport', title: 'Teleport', keys: 'g t', Page: TeleportPage },
  { at: 'health', title: 'Health', keys: 'g h', Page: HealthPage },
]
