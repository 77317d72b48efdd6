/* What programs of the command line find out while they are built, so that they need not when they run. */
import { lazyList, LIST } from './lazy-modules.mjs'
import { SHAPES, writtenShapes } from './written-shapes.mjs'

/** A plugin of the bundler, which may write to `folder`. Hot programs load most modules on use. */
export const prepared = (folder, isHot) => ({
  name: 'prepared',
  setup(context) {
    const instead = (file, text) =>
      context.onLoad({ filter: endingIn(file) }, async () => ({ contents: await text(), loader: 'ts' }))
    instead(SHAPES, () => writtenShapes(folder))
    if (isHot) instead(LIST, lazyList)
  },
})

const endingIn = (file) => new RegExp(`[/\\\\]${file.replaceAll('.', '\\.').replaceAll('/', '[/\\\\]')}$`)
