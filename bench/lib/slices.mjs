/*
 * How two things are compared here.
 *
 *   round 1: A B C   round 2: A B C   …      each letter one slice of about 100 ms
 *
 * B1. Everything stays open; only slices alternate. A slow moment of the machine hits all of a round.
 * B2. A ratio is taken inside a round. The figure is the median over the rounds, the noise their least and most.
 * B3. The first rounds only warm up.
 */
import { performance } from 'node:perf_hooks'
import { spread } from './stats.mjs'

/**
 * Closed loop: `callers` callers, each waiting for its own answer, for `ms` milliseconds.
 * An operation that answers without a promise is not awaited: its store is synchronous.
 */
export async function drive(operation, { callers = 1, ms = 100 } = {}) {
  let count = 0
  const begun = performance.now()
  const end = begun + ms
  let last = begun
  const caller = async () => {
    while (last < end) {
      const answer = operation()
      if (answer instanceof Promise) await answer
      count++
      last = performance.now()
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return count / ((last - begun) / 1000)
}

/** Latencies in microseconds of one caller, for `ms` milliseconds. */
export async function latencies(operation, ms = 100) {
  const found = []
  const end = performance.now() + ms
  for (let from = performance.now(); from < end;) {
    const answer = operation()
    if (answer instanceof Promise) await answer
    const to = performance.now()
    found.push((to - from) * 1000)
    from = to
  }
  return found
}

/** `cases`: name -> async function that runs one slice and answers a figure. Answers name -> figures of all rounds. */
export async function interleave(cases, { rounds = 60, warm = 3 } = {}) {
  const figures = Object.fromEntries(Object.keys(cases).map((name) => [name, []]))
  for (let round = -warm; round < rounds; round++) {
    for (const [name, slice] of Object.entries(cases)) {
      const figure = await slice()
      if (round >= 0) figures[name].push(figure)
    }
  }
  return figures
}

/** Spread of the per-round ratios of two lists of figures. */
export const ratio = (ours, theirs) => spread(ours.map((figure, round) => figure / theirs[round]))
