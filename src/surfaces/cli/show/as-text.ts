import { isUtf8 } from 'node:buffer'

/** For JSON: bytes as text at `name`, and in base64 beside it, at `name_base64`, where they are no UTF-8 and the text cannot say them. */
export function asText<Name extends string>(
  name: Name,
  bytes: Uint8Array,
): Readonly<Record<Name, string> & Partial<Record<`${Name}_base64`, string>>> {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  const exact = isUtf8(bytes) ? {} : { [`${name}_base64`]: Buffer.from(bytes).toString('base64') }
  // The names are those of the type.
  return { [name]: text, ...exact } as ReturnType<typeof asText<Name>>
}
