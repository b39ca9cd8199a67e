/** The process of a service: settings, start and stop, metrics and health, log. */
export {
  defineService,
  type ReadSetting,
  type ServiceDefinition,
  type ServiceParts,
  type ServiceRuntime,
  type StartedParts,
} from '../../../lib/service/define-service.ts';
export { runDeadLetters } from './run-dead-letters.ts';
export { runService, startService, type RunningService, type RuntimeOverrides } from './start-service.ts';
export type { RecurringJob } from '../../../lib/service/recurring-job.ts';
export { readServiceSettings, type ServiceSettings } from '../../../lib/config/other-service.ts';
export { StartupError } from '../../../lib/config/startup-error.ts';
export {
  readText,
  databaseUrl,
  integer,
  natsUrls,
  oneOf,
  secret,
  SECRET_MIN_BYTES,
  secrets,
  text,
  type VariableType,
} from '../../../lib/config/variable-types.ts';
export { serviceLog } from '../../../lib/node/log.ts';
export type { Log } from '../../../lib/node/logger.ts';
export { toMajor } from '../../../lib/money/amount.ts';
export { minorDigits } from '../../../lib/money/currency.ts';
export { runOnce } from '../../../lib/node/run-once.ts';
export { run, type ProcessSettings, type Start } from '../../../lib/node/run.ts';
export { REGISTRY } from '../../../lib/telemetry/metrics.ts';
export type { Health } from '../../../lib/telemetry/probe-server.ts';
export { serveProbes, type Probes, type ProbesOptions } from '../../../lib/telemetry/probes.ts';
export { startTracing } from '../../../lib/tracing/start-tracing.ts';
