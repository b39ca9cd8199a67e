import { randomBytes } from 'node:crypto';
import { loadOrCreateSecrets, pinKeysFile, type DevelopmentSecrets } from '../config/secrets.ts';
import type { Settings } from '../config/settings.ts';
import { StartupError } from '../config/startup-error.ts';
import type { ResolvedSecrets, Resources } from './resources.ts';
import { uuidV7Source, type Runtime } from './runtime.ts';

/** The runtime of a real process: the system's clock and random source, no hook. */
export async function createRuntime(
  settings: Settings,
  infrastructure: Pick<Resources, 'natsUrl' | 'databases'>,
): Promise<Runtime> {
  const clock = (): Date => new Date();
  const { natsUrl, databases } = infrastructure;
  return {
    settings,
    resources: { natsUrl, databases, secrets: await resolveSecrets(settings) },
    clock,
    newId: uuidV7Source(clock, randomUint32s()),
    randomBytes: (length) => randomBytes(length),
    reached: () => Promise.resolve(),
  };
}

/** One call of the system's random source costs as much as a hundred ids: it is asked for many numbers at a time. */
const RANDOM_POOL_BYTES = 4_096;

function randomUint32s(): () => number {
  let pool = Buffer.alloc(0);
  let used = 0;
  return () => {
    if (used === pool.length) {
      pool = randomBytes(RANDOM_POOL_BYTES);
      used = 0;
    }
    used += 4;
    return pool.readUInt32BE(used - 4);
  };
}

/** The secrets of the settings, completed in development by those under DATA_DIR. */
export async function resolveSecrets(settings: Settings): Promise<ResolvedSecrets> {
  const development = settings.production ? undefined : await loadOrCreateSecrets(settings.dataDir);
  const { pepper, privateKeysFile } = settings.pin;
  return {
    jwt: resolveJwt(settings, development),
    get pinPepper() {
      return pepper ?? development?.pinPepper ?? missing('PIN_PEPPER');
    },
    get pinKeysFile() {
      if (privateKeysFile !== undefined) return privateKeysFile;
      return development === undefined ? missing('PIN_PRIVATE_KEYS_FILE') : pinKeysFile(settings.dataDir);
    },
  };
}

function resolveJwt(settings: Settings, development: DevelopmentSecrets | undefined): Settings['jwt'] {
  const { jwt } = settings;
  const hasKey = jwt.secret !== undefined || jwt.publicKeyPem !== undefined || jwt.jwksUrl !== undefined;
  return hasKey || development === undefined ? jwt : { ...jwt, secret: development.jwtSecret };
}

function missing(variable: string): never {
  throw new StartupError(`${variable} is not set, and this process needs it.`);
}
