/** The tabs as links, so that each can be opened beside the others. The point that is viewed goes along. */
import { useCommands } from '../commands/commands.ts'
import { useCurrentInView } from '../parts/current.ts'
import { go, to } from '../route/route.ts'
import { useViewed } from './session.ts'
import { TABS } from './tabs.ts'

export function Tabs({ current }: { readonly current: string }) {
  const { id, at } = useViewed()
  const row = useCurrentInView<HTMLElement>(current)
  const address = (tab: string) => to(['session', id, tab], { at })
  useCommands(
    TABS.map((tab) => ({
      id: `tab-${tab.at}`,
      title: tab.title,
      keys: tab.keys,
      group: 'Session',
      run: () => go(address(tab.at)),
    })),
    [id, at],
  )
  return (
    <nav ref={row} class="tabs" aria-label="Session">
      {TABS.map(({ at: tab, title }) => (
        <a key={tab} href={address(tab)} aria-current={tab === current ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  )
}
