import { useInbox } from '../api/inbox.ts'
import { useCurrentInView } from '../parts/current.ts'
import { Icon } from '../parts/icon.tsx'
import { to, useRoute } from '../route/route.ts'
import { ConnectionBadge } from './connection-badge.tsx'
import { PAGES } from './pages.ts'
import { SourceBadge } from './source-badge.tsx'
import { ThemeButton } from './theme.tsx'

interface HeaderProps {
  readonly onPalette: () => void
  readonly onKeys: () => void
}

export const Header = ({ onPalette, onKeys }: HeaderProps) => (
  <header class="bar">
    <a class="brand" href="/">
      <img src="/icon.svg" width="18" height="18" alt="" />
      <b>Steadfold</b>
    </a>
    <Navigation />
    <div class="bar-end">
      <SourceBadge />
      <ConnectionBadge />
      <button type="button" class="quiet" onClick={onPalette} aria-label="Go to or do anything" title="Ctrl K or ⌘ K">
        <Icon name="search" />
      </button>
      <ThemeButton />
      <button type="button" class="quiet" onClick={onKeys} aria-label="Keyboard" title="?">
        <kbd>?</kbd>
      </button>
    </div>
  </header>
)

function Navigation() {
  const [current = ''] = useRoute().path
  const needs = useInbox().data?.needs_you.length ?? 0
  // The number makes the row wider.
  const row = useCurrentInView<HTMLElement>(`${current} ${needs}`)
  return (
    <nav ref={row} aria-label="Pages">
      {PAGES.map(({ at, title }) => (
        <a key={at} href={to(at === '' ? [] : [at])} aria-current={isCurrent(at, current) ? 'page' : undefined}>
          {title}
          {at === '' && needs > 0 ? <span class="count">{needs}</span> : null}
        </a>
      ))}
    </nav>
  )
}

const isCurrent = (at: string, current: string): boolean =>
  at === current || (at === 'sessions' && current === 'session')
