/* What hot programs find out while they are built, so that they need not when they run. */
import { lazyList } from './lazy-modules.mjs'
import { writtenShapes } from './written-shapes.mjs'

/** Each module of src/ that is put in another's place: how its path ends, and the text. */
const INSTEAD = [
  [/[/\\]compose[/\\]modules\.ts$/, lazyList],
  [/[/\\]cli[/\\]shapes\.ts$/, writtenShapes],
]

/** A plugin of the bundler; it may write to `folder`. */
export const prepared = (folder) => ({
  name: 'prepared',
  setup(context) {
    for (const [filter, text] of INSTEAD)
      context.onLoad({ filter }, async () => ({ contents: await text(folder), loader: 'ts' }))
  },
})
