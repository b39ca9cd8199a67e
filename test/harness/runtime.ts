import { randomBytes, type KeyObject } from 'node:crypto';
import type { Logger } from 'moleculer';
import { keyObjectsOf } from '../../lib/config/caller-keys.ts';
import { loadSettings } from '../../lib/config/settings.ts';
import type { Resources } from '../../lib/node/resources.ts';
import { PROBE_TIMINGS, type ProbeTimings } from '../../lib/db/prober.ts';
import type { Clock } from '../../lib/node/clock.ts';
import { uuidV7Source } from '../../lib/node/ids.ts';
import type { Runtime } from '../../lib/node/runtime.ts';
import { natsUrl } from './servers.ts';

const silent = () => undefined;

/** A log that discards its lines. */
export const quietLog: Logger = {
  fatal: silent,
  error: silent,
  warn: silent,
  info: silent,
  debug: silent,
  trace: silent,
};

export const testClock = (): Date => new Date();

/** Creates a source of UUIDv7s. */
export function testIds(clock: Clock = testClock): () => string {
  return uuidV7Source(clock);
}

/** For tests that wait until an outage or its end is noticed. The timeout is the usual one, for busy machines. */
export const QUICK_PROBES: ProbeTimings = { ...PROBE_TIMINGS, every_ms: 100, again_after_ms: 20 };

/** The keys for statements of callers to a service that runs in this process. */
export function testCallerKeys(service: string): KeyObject[] {
  return keyObjectsOf([`a key of ${service} that is long enough`]);
}

const NO_SECRETS: Resources['secrets'] = {
  jwt: {},
  pinPepper: '',
  pinKeysFile: '',
  callerKeys: testCallerKeys,
  furtherCallers: 'all',
};

/** Creates the runtime of a service on the NATS of the tests, with the defaults of a process without settings. */
export function testRuntime(
  databases: Resources['databases'],
  { secrets, ...given }: Partial<Runtime> & { secrets?: Partial<Resources['secrets']> },
): Runtime {
  const clock = given.clock ?? testClock;
  return {
    settings: loadSettings({}),
    resources: { natsUrl: natsUrl(), databases, secrets: { ...NO_SECRETS, ...secrets } },
    clock,
    systemClock: clock,
    newId: testIds(clock),
    randomBytes: (length) => randomBytes(length),
    reached: () => Promise.resolve(),
    probeTimings: PROBE_TIMINGS,
    ...given,
  };
}
