/** What is shown before the first answer, when there is none, and while newer data is fetched. */
import type { ComponentChildren } from 'preact'
import type { Resource } from '../api/resource.ts'
import { Failure } from './failure.tsx'

interface LoadedProps<T> {
  readonly of: Resource<T>
  readonly children: (data: T) => ComponentChildren
}

export function Loaded<T>({ of: { data, error }, children }: LoadedProps<T>) {
  return (
    <>
      {error === undefined ? null : <Failure error={error} />}
      {data === undefined ? error === undefined && <p class="waiting">Reading…</p> : children(data)}
    </>
  )
}
