/* What programs of the command line find out while they are built, so that they need not when they run. */
import { lazyList } from './lazy-modules.mjs'
import { writtenShapes } from './written-shapes.mjs'

/** A plugin of the bundler, which may write to `folder`. Hot programs load most modules on use. */
export const prepared = (folder, isHot) => ({
  name: 'prepared',
  setup(context) {
    const instead = (filter, text) => context.onLoad({ filter }, async () => ({ contents: await text(), loader: 'ts' }))
    instead(/[/\\]cli[/\\]shapes\.ts$/, () => writtenShapes(folder))
    if (isHot) instead(/[/\\]compose[/\\]modules\.ts$/, lazyList)
  },
})
