/** Light, dark, or as the system says. A taste of whoever looks, so the browser keeps it, not the address. */
import { useState } from 'preact/hooks'
import { Icon } from '../parts/icon.tsx'

const THEMES = ['system', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]

const NAME = 'steadfold.theme'

const kept = (): Theme => THEMES.find((theme) => theme === localStorage.getItem(NAME)) ?? 'system'

export function applyTheme(theme: Theme = kept()): void {
  document.documentElement.dataset['theme'] = theme
}

export function ThemeButton() {
  const [theme, setTheme] = useState(kept)
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system'
  const change = () => {
    localStorage.setItem(NAME, next)
    applyTheme(next)
    setTheme(next)
  }
  return (
    <button
      type="button"
      class="quiet"
      onClick={change}
      aria-label={`Colours: ${theme}. Change to ${next}`}
      title={`colours: ${theme}`}
    >
      <Icon name="half" />
    </button>
  )
}
