export type OutputsEvent =
  | { readonly type: 'output.set'; readonly data: { readonly name: string; readonly value: string } }
  | {
      readonly type: 'output.imported'
      readonly data: {
        readonly values: Readonly<Record<string, string>>
        /** The attempt that handed them over, if one did. */
        readonly step: { readonly key: string; readonly token: number } | null
      }
    }
  | { readonly type: 'output.removed'; readonly data: { readonly names: readonly string[] } }
