import { loadSettings } from '../lib/config/settings.ts';
import { StartupError } from '../lib/config/startup-error.ts';
import { exists } from '../lib/files/create-once.ts';
import { createKeyFile, readKeyFile, rotateKeyFile } from '../lib/pin/key-file.ts';
import { OVERLAP_MS, type PinKey } from '../lib/pin/key-set.ts';
import { resolveSecrets } from '../lib/node/create-runtime.ts';
import { readArguments, runOnce } from '../lib/node/run-once.ts';

const USAGE = 'Usage: npm run rotate-pin-key [-- --now]   (--now retires the older keys immediately)';

/** npm run rotate-pin-key: adds a new key for PINs. Running services load it within a second. */
async function main(): Promise<void> {
  const { values } = readArguments(USAGE, { options: { now: { type: 'boolean' } } });
  const overlap_ms = values.now === true ? 0 : OVERLAP_MS;
  const path = (await resolveSecrets(loadSettings())).pinKeysFile;
  const now = new Date();
  const keys = (await exists(path)) ? await rotateKeyFile(path, now, overlap_ms) : await firstKeys(path, now);
  if (keys === undefined) throw new StartupError('Another process is rotating the PIN keys: try again in a minute.');
  console.error(`Written to ${path}`);
  for (const [index, key] of keys.entries()) {
    const until = new Date(key.exp * 1_000).toISOString();
    console.log(`${index === 0 ? 'new' : 'old'} key ${key.kid}: accepted until ${until}`);
  }
}

async function firstKeys(path: string, now: Date): Promise<PinKey[]> {
  await createKeyFile(path, now);
  return readKeyFile(path);
}

await runOnce(main);
