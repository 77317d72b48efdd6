/** The map of all keys that do something on this page. */
import { Dialog } from '../parts/dialog.tsx'
import { useStore } from '../store.ts'
import { commands, type Command } from './commands.ts'
import { singleKeys, turnSingleKeys } from './keyboard.ts'

const GROUPS = ['Go', 'Time', 'Session', 'View'] as const

export function KeyMap({ onClose }: { readonly onClose: () => void }) {
  const bound = useStore(commands).filter(({ keys }) => keys !== undefined)
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      {GROUPS.map((group) => (
        <Group key={group} title={group} of={bound.filter((command) => command.group === group)} />
      ))}
      <p class="faint">Tab, Enter and the arrows do what they do everywhere.</p>
      <SingleKeys />
    </Dialog>
  )
}

function SingleKeys() {
  const on = useStore(singleKeys)
  return (
    <p class="buttons">
      <button type="button" aria-pressed={on} onClick={() => turnSingleKeys(!on)}>
        Keys without {isApple ? '⌘' : 'Ctrl'} {on ? 'on' : 'off'}
      </button>
    </p>
  )
}

const Group = ({ title, of }: { readonly title: string; readonly of: readonly Command[] }) =>
  of.length === 0 ? null : (
    <section>
      <h3>{title}</h3>
      <dl class="keys">
        {of.map(({ id, title: what, keys = '' }) => (
          <div key={id}>
            <dt>
              <Keys of={keys} />
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </section>
  )

export const Keys = ({ of }: { readonly of: string }) => (
  <>
    {of.split(' ').map((key, i) => (
      <kbd key={i}>{key.replace('mod+', isApple ? '⌘ ' : 'Ctrl ')}</kbd>
    ))}
  </>
)

const isApple = /Mac|iP(hone|ad)/.test(navigator.userAgent)
