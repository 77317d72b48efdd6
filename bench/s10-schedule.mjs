/* S10: how much longer 400 random graphs take than no scheduler could beat, with the runner's own choice of what to start. */
import { graph, random } from './lib/fixtures.mjs'
import { library } from './lib/product.mjs'
import { note, row } from './lib/report.mjs'
import { quantile, spread } from './lib/stats.mjs'

export const promises = ['S10']

/** No schedule is shorter than the longest chain, nor than all work shared evenly. */
function bound({ steps, agents }) {
  const finished = []
  for (const { seconds, needs } of steps) finished.push(seconds + Math.max(0, ...needs.map((need) => finished[need])))
  return Math.max(...finished, steps.reduce((sum, step) => sum + step.seconds, 0) / agents)
}

/** What a barrier after each level would cost. */
function waves({ steps, agents }) {
  const levels = []
  for (const { needs } of steps)
    levels.push(needs.length === 0 ? 0 : 1 + Math.max(...needs.map((need) => levels[need])))
  let total = 0
  for (let level = 0; level <= Math.max(...levels); level++) {
    const free = Array.from({ length: agents }, () => 0)
    steps.forEach(({ seconds }, i) => {
      if (levels[i] !== level) return
      free.sort((a, b) => a - b)
      free[0] += seconds
    })
    total += Math.max(...free)
  }
  return total
}

export async function run() {
  const { simulateSchedule } = await library()
  if (simulateSchedule === undefined) throw new Error('the library does not export simulateSchedule')
  const next = random(3)
  const graphs = Array.from({ length: 400 }, () => graph(next))
  const ours = graphs.map((each) => makespan(simulateSchedule, each) / bound(each))
  const barriers = graphs.map((each) => waves(each) / bound(each))
  return [
    row({
      id: 'S10',
      work: 'makespan of 400 random graphs over its lower bound',
      ours: `p90 ${quantile(ours, 0.9).toFixed(2)}`,
      peer: 'critical path or even share',
      figure: spread(ours),
      unit: ' ×',
      target: '≤ 1.05',
      limit: 1.05,
    }),
    note('S10', '  with a barrier after each wave', '', { measured: spread(barriers), kind: 'ratio' }),
  ]
}

function makespan(simulateSchedule, { steps, agents }) {
  const named = steps.map(({ seconds, needs }, i) => ({
    name: `s${i}`,
    needs: needs.map((need) => `s${need}`),
    duration: seconds,
  }))
  return simulateSchedule(named, agents)
}
