/** Why something did not work, and what to do next. */
import { ApiError } from '../api/request.ts'
import { Icon } from './icon.tsx'

export function Failure({ error }: { readonly error: unknown }) {
  const { message, hint, code } = error instanceof ApiError ? error : plain(error)
  return (
    <p class="failure" role="alert">
      <Icon name="alert" />
      <span>
        {message} <code class="faint">{code}</code>
        {hint === undefined ? null : <span class="hint">next: {hint}</span>}
      </span>
    </p>
  )
}

const plain = (error: unknown) => ({ message: String(error), hint: undefined, code: '' })
