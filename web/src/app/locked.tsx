import { Copy } from '../parts/copy.tsx'

/** This browser has no cookie, or one of a daemon that is gone. */
export const Locked = () => (
  <div class="empty">
    <h1>This browser is not let in</h1>
    <p>Links work once, for ten minutes. Ask for a new one in the folder of the workspace:</p>
    <p>
      <Copy text="steadfold ui" />
    </p>
  </div>
)
