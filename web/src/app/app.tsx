/** The page as a whole: header, the view that the address names, and what lies over it. */
import { useState } from 'preact/hooks'
import { connection } from '../api/live.ts'
import { useCommands, type Command } from '../commands/commands.ts'
import { KeyMap } from '../commands/key-map.tsx'
import { Palette } from '../commands/palette.tsx'
import { outcome } from '../parts/outcome.ts'
import { go, to, useRoute } from '../route/route.ts'
import { shownTitle, useTitle } from '../route/title.ts'
import { SessionPage } from '../session/session-page.tsx'
import { useStore } from '../store.ts'
import { Header } from './header.tsx'
import { Locked } from './locked.tsx'
import { NotFound } from './not-found.tsx'
import { PAGES, type PageEntry } from './pages.ts'

type Over = 'palette' | 'keys' | undefined

export function App() {
  const [over, lay] = useState<Over>()
  useCommands([...GO, ...overs(lay)], [])
  const close = () => lay(undefined)
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        Skip to the content
      </a>
      <p class="unseen" role="status">
        {useStore(shownTitle)}
      </p>
      <p class="unseen" role="status">
        {useStore(outcome)}
      </p>
      <Header onPalette={() => lay('palette')} onKeys={() => lay('keys')} />
      <main id="main" tabIndex={-1}>
        {useStore(connection) === 'refused' ? <Locked /> : <View />}
      </main>
      {over === 'palette' ? <Palette onClose={close} /> : null}
      {over === 'keys' ? <KeyMap onClose={close} /> : null}
    </>
  )
}

function View() {
  const { path } = useRoute()
  const [name = '', session] = path
  if (name === 'session' && session !== undefined) return <SessionPage key={session} session={session} />
  const page = PAGES.find(({ at }) => at === name)
  return page === undefined ? <NotFound /> : <Page entry={page} />
}

function Page({ entry: { title, Page: Content } }: { readonly entry: PageEntry }) {
  useTitle(title)
  return <Content />
}

/** The address keeps its place for the view: a fragment would be one more. */
function skip(event: Event): void {
  event.preventDefault()
  document.querySelector<HTMLElement>('#main')?.focus()
}

const GO: readonly Command[] = PAGES.map(({ at, title, keys }) => ({
  id: `go-${title}`,
  title,
  keys,
  group: 'Go',
  run: () => go(to(at === '' ? [] : [at])),
}))

const overs = (lay: (over: Over) => void): readonly Command[] => [
  { id: 'palette', title: 'Go to or do anything', keys: 'mod+k', group: 'View', run: () => lay('palette') },
  { id: 'keys', title: 'Show this map', keys: '?', group: 'View', run: () => lay('keys') },
  {
    id: 'search',
    title: 'Filter what is shown',
    keys: '/',
    group: 'View',
    run: () => document.querySelector<HTMLElement>('[type=search]')?.focus(),
  },
]
