/** One of a few views; the address keeps which. The first is what is shown without being asked. */
import { useParam } from '../route/route.ts'

interface SwitchProps {
  /** Of the parameter. */
  readonly name: string
  readonly label: string
  readonly options: readonly (readonly [value: string, title: string])[]
}

export function Switch({ name, label, options }: SwitchProps) {
  const first = options[0]?.[0]
  const [value = first, set] = useParam(name)
  return (
    <div class="toggle" role="group" aria-label={label}>
      {options.map(([each, title]) => (
        <button
          key={each}
          type="button"
          aria-pressed={each === value}
          onClick={() => set(each === first ? undefined : each)}
        >
          {title}
        </button>
      ))}
    </div>
  )
}
