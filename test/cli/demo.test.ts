import * as fs from 'node:fs'
import { expect, test } from 'vitest'
import { runWorker } from '../examples/workers.ts'
import { Place } from './binary.ts'

test('demo leaves a REVIEW.md of yours alone, and replaces its own', { timeout: 180_000 }, () => {
  const place = new Place({ init: false })
  try {
    fs.mkdirSync(`${place.dir}/tree`)
    place.file('tree/a.js', '// TODO: more\nexport const a = 1\n')
    const review = place.file('REVIEW.md', '# Mine\n')
    const refused = place.run('demo', '--input', 'tree', '--json')
    expect(refused).toMatchObject({ status: 4 })
    expect(JSON.parse(refused.out)).toMatchObject({
      error: { code: 'NAME_TAKEN', hint: expect.stringContaining('--dir') },
    })
    expect(fs.readFileSync(review, 'utf8')).toBe('# Mine\n')
    expect(fs.existsSync(`${place.dir}/.steadfold`)).toBe(false)
    fs.rmSync(review)
    const env = { REVIEW_PACE_MS: '100' }
    for (const _ of [1, 2]) {
      expect(place.runWith({ env }, 'demo', '--input', 'tree')).toMatchObject({ status: 0 })
      expect(fs.readFileSync(review, 'utf8')).toContain('byte for byte')
    }
    // The worker itself refuses as well: the workflow can be run without the demo.
    place.file('REVIEW.md', '# Mine\n')
    expect(runWorker(['document'], { input: `${place.dir}/tree`, out: place.dir })).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('move it away'),
    })
    expect(fs.readFileSync(review, 'utf8')).toBe('# Mine\n')
  } finally {
    place.remove()
  }
})
