import { render } from 'preact'
import { goLive } from './api/live.ts'
import { takeToken } from './api/login.ts'
import { App } from './app/app.tsx'
import { applyTheme } from './app/theme.tsx'
import { keepTextVisible } from './app/visible-text.ts'
import { listenToKeys } from './commands/keyboard.ts'
import { followLinks } from './route/route.ts'

applyTheme()
keepTextVisible()
await takeToken()
followLinks()
listenToKeys()
goLive()
const root = document.querySelector('#app')
if (root !== null) render(<App />, root)
