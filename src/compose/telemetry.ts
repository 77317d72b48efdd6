/** Telemetry of this version of the program. Loaded on use. */
import about from '../../package.json' with { type: 'json' }
import { openTelemetry } from '../drivers/telemetry/open.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Observer } from '../kernel/observer.ts'

export const telemetryOf = ({ settings, warn, redactor }: Kernel): Promise<Observer | undefined> =>
  openTelemetry({ configured: settings.telemetry, env: process.env, version: about.version, warn, redactor })
