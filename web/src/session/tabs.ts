/** The tabs of a session, in their order. A tab reads what it shows with `useViewed()`. */
import type { ComponentType } from 'preact'
import { StateTab } from './state/state-tab.tsx'

export interface TabEntry {
  /** Third part of the path: `/session/ID/log`. */
  readonly at: string
  readonly title: string
  readonly keys: string
  readonly Tab: ComponentType
}

export const TABS: readonly TabEntry[] = [{ at: 'state', title: 'State', keys: 't s', Tab: StateTab }]
