/** Naming one of these says where telemetry goes. */
const EXPORTERS = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
  'OTEL_TRACES_EXPORTER',
  'OTEL_METRICS_EXPORTER',
]
const OFF = new Set(['0', 'false', 'off', 'none'])

/**
 * asked: `telemetry` of config.json, or STEADFOLD_OTEL, says so · implied: the environment names an exporter ·
 * off: neither, or STEADFOLD_OTEL=0 or OTEL_SDK_DISABLED=true.
 */
export function wishOf(configured: boolean, env: Environment): 'asked' | 'implied' | 'off' {
  const own = env['STEADFOLD_OTEL'] ?? ''
  if (OFF.has(own) || env['OTEL_SDK_DISABLED'] === 'true') return 'off'
  if (own !== '' || configured) return 'asked'
  const names = (name: string) => ![undefined, '', 'none'].includes(env[name])
  return EXPORTERS.some(names) ? 'implied' : 'off'
}

export type Environment = Readonly<Record<string, string | undefined>>
