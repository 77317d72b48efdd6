import type { HealthName } from '../../../../src/kernel/health.ts'
import { duration } from '../../parts/time.ts'

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** As the limits of config.json count them: powers of ten. */
function bytesText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)))
  const value = bytes / 1000 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[power] ?? ''}`
}

export function figureText(name: HealthName, figure: number): string {
  if (name === 'log_size' || name === 'disk') return bytesText(figure)
  return name === 'lease_lag' || name === 'clock_skew' ? duration(figure) : figure.toLocaleString('en')
}
