/** A value as a tree that opens place by place. What stands in it is text, whatever it looks like. */
import { useState } from 'preact/hooks'
import { Icon } from './icon.tsx'
import { LongText } from './long-text.tsx'
import { useOf } from './of.tsx'
import { usePieces } from './pieces.tsx'

export type Keys = readonly (string | number)[]

interface JsonTreeProps {
  readonly value: unknown
  readonly name?: string
  /** How many levels are open at first. */
  readonly open?: number
  /** Called with the place that was chosen. */
  readonly onPick?: ((keys: Keys) => void) | undefined
  /** `data.topic`: the place that is marked. */
  readonly picked?: string | undefined
}

interface NodeProps extends JsonTreeProps {
  readonly keys: Keys
}

const PIECE = 100

export const JsonTree = ({ name = '$', ...rest }: JsonTreeProps) => (
  <ul class="tree">
    <Node {...rest} name={name} keys={[]} />
  </ul>
)

function Node(props: NodeProps) {
  const { value, name = '', keys, open: levels = 1, onPick, picked } = props
  const [isOpen, setOpen] = useState(levels > 0 || leadsTo(keys, picked))
  const said = useOf(keys.length === 0 ? name : pathOf(keys))
  const isBranch = typeof value === 'object' && value !== null && sizeOf(value) > 0
  const label = <Label name={name} keys={keys} picked={picked} onPick={onPick} />
  if (!isBranch)
    return (
      <li>
        <span class="leaf">
          {label} <Leaf value={value} />
        </span>
      </li>
    )
  return (
    <li>
      <span class="branch">
        <button
          type="button"
          class="twist"
          aria-expanded={isOpen}
          aria-label={`${said}: ${sizeText(value)}`}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? 'down' : 'right'} />
        </button>
        {label} <span class="faint">{sizeText(value)}</span>
      </span>
      {isOpen ? <Members {...props} /> : null}
    </li>
  )
}

/** Long lists open in pieces. */
function Members({ value, keys, open = 1, onPick, picked }: NodeProps) {
  const members: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((each, i) => [i, each] as const)
    : Object.entries(value as object)
  const [first, more] = usePieces(members, PIECE, pathOf(keys))
  return (
    <ul>
      {first.map(([key, each]) => (
        <Node
          key={key}
          value={each}
          name={String(key)}
          keys={[...keys, key]}
          open={open - 1}
          onPick={onPick}
          picked={picked}
        />
      ))}
      {more === null ? null : <li>{more}</li>}
    </ul>
  )
}

function Label({ name, keys, picked, onPick }: Pick<NodeProps, 'name' | 'keys' | 'picked' | 'onPick'>) {
  if (onPick === undefined) return <span class="key">{name}</span>
  const isPicked = picked !== undefined && picked === pathOf(keys)
  return (
    <button type="button" class="key" aria-label={pathOf(keys)} aria-pressed={isPicked} onClick={() => onPick(keys)}>
      {name}
    </button>
  )
}

/** As the daemon writes paths: `data.topics[0]`, `data['a b']`; `$` for the whole. */
export function pathOf(keys: Keys): string {
  const text = keys.map((key) => {
    if (typeof key === 'number') return `[${key}]`
    return /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `['${key.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}']`
  })
  return keys.length === 0 ? '$' : text.join('').replace(/^\./, '')
}

const Leaf = ({ value }: { readonly value: unknown }) => (
  <span class={`value ${typeof value}`}>
    <LongText text={JSON.stringify(value)} />
  </span>
)

/** What was chosen lies below. */
function leadsTo(keys: Keys, picked: string | undefined): boolean {
  const path = pathOf(keys)
  return picked !== undefined && picked.startsWith(path) && ['.', '['].includes(picked[path.length] ?? '')
}

const sizeOf = (value: object): number => (Array.isArray(value) ? value.length : Object.keys(value).length)
const sizeText = (value: object): string => (Array.isArray(value) ? `[${value.length}]` : `{${sizeOf(value)}}`)
