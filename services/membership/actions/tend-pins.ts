/** The upkeep of PIN keys and of the memory of used ciphertexts. */
import type { Logger } from 'moleculer';
import { StartupError } from '../../../lib/config/startup-error.ts';
import { createKeyFile, rotateKeyFile } from '../../../lib/pin/key-file.ts';
import { openKeyRing } from '../../../lib/pin/key-ring.ts';
import type { PinKeyRing } from '../../../lib/pin/key-ring.ts';
import { KEY_LIFE_MS, liveKeys, needsRenewal, OVERLAP_MS } from '../../../lib/pin/key-set.ts';
import type { Runtime } from '../../../lib/node/runtime.ts';
import type { Sweep } from '../../../lib/saga/recurring-job.ts';
import type { Foundation } from '../../../lib/service/service-context.ts';
import { pepperCheck } from '../domain/pin-hash.ts';
import { deleteGoneNodes, settlePepper } from '../persistence/pin-nodes.ts';
import { pruneCiphertexts } from '../persistence/pins.ts';
import type { MembershipDeps } from '../deps.ts';

/** Keys live for weeks and digests for months: nothing here is in a hurry. */
const TEND_EVERY_MS = 3_600_000;

/** A node may judge by keys that are a second old; a day covers every clock that is wrong, too. */
const KEEP_USED_MS = 86_400_000;

/** As long as the key that would have opened it can live: it may reach this node after the request did. */
const KEEP_UNOPENED_MS = KEY_LIFE_MS + KEEP_USED_MS;

type Say = (message: string) => void;

/**
 * The keys that the settings name; in development they are made at the first start.
 * @param complain hears of a changed file that cannot be read; the keys stay as they were then
 * @throws StartupError in one line if they are missing, unreadable or damaged
 */
export async function openPinKeys(runtime: Runtime, complain: Say): Promise<PinKeyRing> {
  const { settings, resources, clock } = runtime;
  const path = resources.secrets.pinKeysFile;
  if (!settings.production) await createKeyFile(path, clock());
  return openKeyRing(path, clock, (error) => complain(`PIN keys: ${error.message}`));
}

/**
 * Makes sure that PINs are judged under the pepper that they were stored under. The first node on a database decides
 * which it is.
 * @throws StartupError in one line if this node has another
 */
export async function requireSamePepper(foundation: Foundation): Promise<void> {
  const { db, runtime } = foundation;
  const own = pepperCheck(runtime.resources.secrets.pinPepper);
  try {
    if (own.equals(await settlePepper(db.manager, own))) return;
    throw new StartupError(
      'PIN_PEPPER is not the one recorded in this database (table pin_pepper): give every node the same; docs/running.md, Keeping it.',
    );
  } catch (error) {
    await foundation.stop();
    throw error;
  }
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

/** What is done for PINs again and again; each is done once before the service takes requests. */
export async function pinSweeps(runtime: Runtime, deps: MembershipDeps, node: string, log: Logger): Promise<Sweep[]> {
  const tend = tendPins(runtime, deps, log);
  const beat = () => deps.offer.beat(node, log);
  await tend();
  await beat();
  return [
    { name: 'pin-upkeep', every_ms: TEND_EVERY_MS, sweep: tend },
    { name: 'pin-key-offer', every_ms: deps.timings.sweep_every_ms, sweep: beat },
  ];
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
    await deleteGoneNodes(foundation.db.manager);
    const ago = (ms: number) => new Date(now.getTime() - ms);
    await pruneCiphertexts(foundation.db.manager, kids, ago(KEEP_USED_MS), ago(KEEP_UNOPENED_MS));
  };
}
