/** An empty place says what would be here, and how it comes here. */
import type { ComponentChildren } from 'preact'
import { Copy } from './copy.tsx'
import { SampleButton } from './sample.tsx'

interface EmptyProps {
  readonly title: string
  /** Three commands that fill it, each with what it does. */
  readonly commands: readonly (readonly [command: string, what: string])[]
  readonly children?: ComponentChildren
}

export const Empty = ({ title, commands, children }: EmptyProps) => (
  <div class="empty">
    <h2>{title}</h2>
    {children === undefined ? null : <p>{children}</p>}
    <dl>
      {commands.map(([command, what]) => (
        <div key={command}>
          <dt>
            <Copy text={command} />
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
    <SampleButton />
  </div>
)
