import { randomBytes } from 'node:crypto';
import { callerKeyVariable, keyObjectsOf } from '../config/caller-keys.ts';
import { developmentCallerKey, developmentSecret, loadOrCreateSecrets, pinKeysFile } from '../config/secrets.ts';
import type { DevelopmentSecrets } from '../config/secrets.ts';
import type { Settings } from '../config/settings.ts';
import { StartupError } from '../config/startup-error.ts';
import { isTableService } from '../config/service-names.ts';
import { PROBE_TIMINGS } from '../db/prober.ts';
import type { ResolvedSecrets, Resources } from './resources.ts';
import { uuidV7Source } from './ids.ts';
import type { Runtime } from './runtime.ts';
import { createTestClock } from './test-clock.ts';

/** Builds the runtime of a real process, with the system's clock and random source. */
export async function createRuntime(
  settings: Settings,
  infrastructure: Pick<Resources, 'natsUrl' | 'databases'>,
): Promise<Runtime> {
  const systemClock = (): Date => new Date();
  const testClock = settings.clock === 'test' ? createTestClock(systemClock) : undefined;
  const clock = testClock?.now ?? systemClock;
  const { natsUrl, databases } = infrastructure;
  return {
    settings,
    resources: { natsUrl, databases, secrets: await resolveSecrets(settings) },
    clock,
    systemClock,
    testClock,
    newId: uuidV7Source(clock),
    randomBytes: (length) => randomBytes(length),
    reached: () => Promise.resolve(),
    probeTimings: PROBE_TIMINGS,
  };
}

/** Returns the secrets of the settings; in development, those under DATA_DIR replace missing ones. */
export async function resolveSecrets(settings: Settings): Promise<ResolvedSecrets> {
  const development = settings.production ? undefined : await loadOrCreateSecrets(settings.dataDir);
  const { pepper, secondPepper, privateKeysFile } = settings.pin;
  return {
    jwt: resolveJwt(settings, development),
    get pinPepper() {
      return pepper ?? development?.pinPepper ?? missing('PIN_PEPPER');
    },
    secondPinPepper: secondPepper,
    get pinKeysFile() {
      if (privateKeysFile !== undefined) return privateKeysFile;
      return development === undefined ? missing('PIN_PRIVATE_KEYS_FILE') : pinKeysFile(settings.dataDir);
    },
    callerKeys(service) {
      const given = settings.callerKeys[service] ?? (development && [developmentCallerKey(development, service)]);
      return keyObjectsOf(given ?? missing(callerKeyVariable(service)));
    },
    makeSecret: development && ((variable) => developmentSecret(development, variable)),
    furtherCallers: development === undefined ? furtherOf(settings) : 'all',
  };
}

function resolveJwt(settings: Settings, development: DevelopmentSecrets | undefined): Settings['jwt'] {
  const { jwt } = settings;
  const hasKey = jwt.secret !== undefined || jwt.publicKeyPem !== undefined || jwt.provider !== undefined;
  return hasKey || development === undefined ? jwt : { ...jwt, secret: development.jwtSecret };
}

function furtherOf({ callerKeys }: Pick<Settings, 'callerKeys'>): string[] {
  return Object.keys(callerKeys).filter((service) => !isTableService(service));
}

function missing(variable: string): never {
  throw new StartupError(`${variable} is not set, and this process needs it.`);
}
