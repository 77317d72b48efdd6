export type DataEvent =
  | { readonly type: 'data.set'; readonly data: { readonly path: string; readonly value: unknown } }
  | { readonly type: 'data.deleted'; readonly data: { readonly path: string } }
  | {
      readonly type: 'data.patched'
      /** Sets and removals in order, as an RFC 6902 patch came down to. */
      readonly data: { readonly changes: readonly DataChange[] }
    }

export type DataChange =
  | { readonly kind: 'set'; readonly path: string; readonly value: unknown }
  | { readonly kind: 'removed'; readonly path: string }
