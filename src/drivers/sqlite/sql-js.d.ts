/** The build of sql.js that holds its WebAssembly; `@types/sql.js` is of the one that reads it from a file. */
declare module 'sql.js/dist/sql-wasm-inline.js' {
  import type { SqlJsStatic } from 'sql.js'

  /** False: functions are those of SQLite, and no others. */
  const open: (options: { readonly useOldExtensionFunctions: false }) => Promise<SqlJsStatic>
  export default open
}
