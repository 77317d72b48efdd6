// Preloaded: leaves the most memory (KiB) this process held where BENCH_PEAK says.
process.on('exit', () =>
  require('node:fs').writeFileSync(process.env.BENCH_PEAK, String(process.resourceUsage().maxRSS)),
)
