/** The upkeep of PIN keys and of the memory of used ciphertexts. */
import { createKeyFile, rotateKeyFile } from '../../../lib/pin/key-file.ts';
import { openKeyRing } from '../../../lib/pin/key-ring.ts';
import type { PinKeyRing } from '../../../lib/pin/key-ring.ts';
import { liveKeys, needsRenewal, OVERLAP_MS } from '../../../lib/pin/key-set.ts';
import type { Runtime } from '../../../lib/runtime/runtime.ts';
import { pruneCiphertexts } from '../persistence/pins.ts';
import type { MembershipDeps } from '../deps.ts';

/** Keys live for weeks and digests for months: nothing here is in a hurry. */
export const TEND_EVERY_MS = 3_600_000;

/** A node may judge by keys that are a second old; a day covers every clock that is wrong, too. */
const KEEP_USED_MS = 86_400_000;

type Say = (message: string) => void;

/**
 * The keys that the settings name; in development they are made at the first start.
 * @param complain hears of a changed file that cannot be read; the keys stay as they were then
 * @throws StartupError in one line if they are missing or damaged
 */
export async function openPinKeys(runtime: Runtime, complain: Say): Promise<PinKeyRing> {
  const { settings, resources, clock } = runtime;
  const path = resources.secrets.pinKeysFile;
  if (!settings.production) await createKeyFile(path, clock());
  return openKeyRing(path, clock, (error) => complain(`PIN keys: ${error.message}`));
}

/** In development keys are renewed before they end; in production they are the operator's, who is told in time. */
async function renewKeys({ settings, resources, clock }: Runtime, ring: PinKeyRing, warn: Say): Promise<void> {
  if (!needsRenewal(await ring.keys(), clock())) return;
  if (settings.production) {
    warn('PIN keys: the newest ends soon or has ended; run `npm run rotate-pin-key`.');
    return;
  }
  await rotateKeyFile(resources.secrets.pinKeysFile, clock(), OVERLAP_MS);
  await ring.refresh();
}

/** Forgets the ciphertexts of retired keys, which nothing accepts any more, and sees to the keys. */
export function tendPins(
  runtime: Runtime,
  { foundation, ring }: Pick<MembershipDeps, 'foundation' | 'ring'>,
  log: { warn: Say },
): () => Promise<void> {
  return async () => {
    const now = runtime.clock();
    await renewKeys(runtime, ring, (message) => log.warn(message));
    const kids = liveKeys(await ring.keys(), now).map((key) => key.kid);
    await pruneCiphertexts(foundation.db.manager, kids, new Date(now.getTime() - KEEP_USED_MS));
  };
}
