import { parseArgs } from 'node:util';
import { loadSettings } from '../lib/config/settings.ts';
import { StartupError } from '../lib/config/startup-error.ts';
import { createKeyFile, hasKeyFile, readKeyFile, rotateKeyFile } from '../lib/pin/key-file.ts';
import { OVERLAP_MS } from '../lib/pin/key-set.ts';
import type { PinKey } from '../lib/pin/key-set.ts';
import { resolveSecrets } from '../lib/node/create-runtime.ts';
import { runOnce } from './run-once.ts';

const USAGE = 'Usage: npm run rotate-pin-key [-- --now]   (--now retires the older keys at once)';

/** npm run rotate-pin-key: a new key for PINs. Running services take it over within a second. */
async function main(): Promise<void> {
  const overlap_ms = retiresNow() ? 0 : OVERLAP_MS;
  const path = (await resolveSecrets(loadSettings())).pinKeysFile;
  const now = new Date();
  const keys = (await hasKeyFile(path)) ? await rotateKeyFile(path, now, overlap_ms) : await firstKeys(path, now);
  if (keys === undefined) throw new StartupError('Another process is rotating the PIN keys: try again in a minute.');
  for (const [index, key] of keys.entries()) {
    const until = new Date(key.exp * 1_000).toISOString();
    console.log(`${index === 0 ? 'new' : 'old'} key ${key.kid}: accepted until ${until}`);
  }
}

async function firstKeys(path: string, now: Date): Promise<PinKey[]> {
  await createKeyFile(path, now);
  return readKeyFile(path);
}

function retiresNow(): boolean {
  try {
    return parseArgs({ options: { now: { type: 'boolean' } } }).values.now === true;
  } catch {
    throw new StartupError(USAGE);
  }
}

await runOnce(main);
