/** The upkeep of PIN keys and of the stored used ciphertexts. */
import type { Logger } from 'moleculer';
import { StartupError } from '../../../lib/config/startup-error.ts';
import { createKeyFile, rotateKeyFile } from '../../../lib/pin/key-file.ts';
import { openKeyRing, type PinKeyRing } from '../../../lib/pin/key-ring.ts';
import { KEY_LIFE_MS, liveKeys, needsRenewal, OVERLAP_MS } from '../../../lib/pin/key-set.ts';
import type { Runtime } from '../../../lib/node/runtime.ts';
import type { RecurringJob } from '../../../lib/service/recurring-job.ts';
import type { ServiceContext } from '../../../lib/service/service-context.ts';
import type { MembershipDeps } from '../deps.ts';
import { pepperCheck } from './pin.rules.ts';
import { deleteGoneNodes, pruneCiphertexts, storePepperCheck } from './pin.store.ts';

/** Keys live for weeks and digests for months: nothing here is in a hurry. */
const MAINTAIN_EVERY_MS = 3_600_000;

/** A node may use keys that it read a second ago; a day also covers clocks that are wrong. */
const KEEP_USED_MS = 86_400_000;

/** As long as a key lives: the key that opens it may reach this node only after the request. */
const KEEP_UNOPENED_MS = KEY_LIFE_MS + KEEP_USED_MS;

type Say = (message: string) => void;

/**
 * The keys that the settings name; in development they are made at the first start.
 * @param complain called if the file has changed and cannot be read; the ring then keeps its keys
 * @throws StartupError in one line if they are missing, unreadable or damaged
 */
export async function openPinKeys({ settings, resources, clock }: Runtime, complain: Say): Promise<PinKeyRing> {
  const path = resources.secrets.pinKeysFile;
  if (!settings.production) await createKeyFile(path, clock());
  return openKeyRing(path, clock, (error) => complain(`PIN keys: ${error.message}`));
}

/**
 * Makes sure that this node has the pepper with which the database's PINs were stored. The first node decides which.
 * @throws StartupError in one line if this node has another
 */
export async function requireSamePepper({
  db,
  runtime,
  stop,
}: Pick<ServiceContext, 'db' | 'runtime' | 'stop'>): Promise<void> {
  const own = pepperCheck(runtime.resources.secrets.pinPepper);
  try {
    if (own.equals(await storePepperCheck(db, own))) return;
    throw new StartupError(
      'PIN_PEPPER is not the one recorded in this database (table pin_pepper): give every node the same; docs/running.md, Keeping it.',
    );
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Runs the recurring jobs for PINs once, before the service takes requests. @returns the jobs */
export async function runPinJobs(deps: MembershipDeps, node: string, log: Logger): Promise<RecurringJob[]> {
  const jobs: RecurringJob[] = [
    { name: 'PIN upkeep', every_ms: MAINTAIN_EVERY_MS, run: () => maintainPins(deps, log) },
    {
      name: 'exchange of PIN keys',
      every_ms: deps.timings.key_exchange_ms,
      run: () => deps.pinKeyOffer.exchange(node, log),
    },
  ];
  for (const job of jobs) await job.run();
  return jobs;
}

/** Renews the keys, and deletes the ciphertexts of retired keys, which are never accepted again. */
export async function maintainPins(
  { runtime, db, ring }: Pick<MembershipDeps, 'runtime' | 'db' | 'ring'>,
  log: { warn: Say },
): Promise<void> {
  const now = runtime.clock();
  await renewKeys(runtime, ring, (message) => log.warn(message));
  const kids = liveKeys(await ring.keys(), now).map((key) => key.kid);
  await deleteGoneNodes(db);
  const ago = (ms: number) => new Date(now.getTime() - ms);
  await pruneCiphertexts(db, kids, ago(KEEP_USED_MS), ago(KEEP_UNOPENED_MS));
}

/** In development, renews the keys before they end. In production the operator renews them: a log line says when. */
async function renewKeys({ settings, resources, clock }: Runtime, ring: PinKeyRing, warn: Say): Promise<void> {
  if (!needsRenewal(await ring.keys(), clock())) return;
  if (settings.production) {
    warn('PIN keys: the newest ends soon or has ended; run `npm run rotate-pin-key`.');
    return;
  }
  await rotateKeyFile(resources.secrets.pinKeysFile, clock(), OVERLAP_MS);
  await ring.refresh();
}
