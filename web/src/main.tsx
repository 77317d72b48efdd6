import { render } from 'preact'
import { connect, goLive } from './api/live.ts'
import { takeToken } from './api/login.ts'
import { App } from './app/app.tsx'
import { keepFocus } from './app/focus.ts'
import { applyTheme } from './app/theme.tsx'
import { keepTextVisible } from './app/visible-text.ts'
import { listenToKeys } from './commands/keyboard.ts'
import { followLinks } from './route/route.ts'

applyTheme()
keepTextVisible()
await takeToken()
followLinks()
listenToKeys()
keepFocus()
goLive()
// A new link in a page that is open already: only its fragment is another, and nothing is loaded anew.
addEventListener('hashchange', () => void takeToken().then(connect))
const root = document.querySelector('#app')
if (root !== null) render(<App />, root)
