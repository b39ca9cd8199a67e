/** The recurring jobs and start-up checks of PIN keys, the pepper and used ciphertexts. */
import type { Logger } from 'moleculer';
import { StartupError } from '../../../lib/config/startup-error.ts';
import { createKeyFile, rotateKeyFile } from '../../../lib/pin/key-file.ts';
import { openKeyRing, type PinKeyRing } from '../../../lib/pin/key-ring.ts';
import { KEY_LIFE_MS, liveKeys, needsRenewal, OVERLAP_MS } from '../../../lib/pin/key-set.ts';
import type { Db } from '../../../lib/db/db.ts';
import type { Runtime } from '../../../lib/node/runtime.ts';
import { runInTurn, type RecurringJob } from '../../../lib/service/recurring-job.ts';
import type { ServiceContext } from '../../../lib/service/service-context.ts';
import type { MembershipDeps } from '../deps.ts';
import { pepperCheck } from './pin.rules.ts';
import { countOtherPeppers, deleteGoneNodes, pruneCiphertexts, storePepperCheck } from './pin.store.ts';

/** Keys live for weeks and digests for months, so once an hour is enough. */
const MAINTAIN_EVERY_MS = 3_600_000;

/** A node may use keys that it read a second ago. A day also covers wrong clocks. */
const KEEP_USED_MS = 86_400_000;

/** Longer than a key lives, because the key of a ciphertext may reach this node after the request. */
const KEEP_UNOPENED_MS = KEY_LIFE_MS + KEEP_USED_MS;

type LogMessage = (message: string) => void;

/**
 * Opens the key file that the settings name. In development it is created at the first start.
 * @param logError called if the file has changed and cannot be read; the ring then keeps its keys
 * @throws StartupError if the file is missing, unreadable or damaged
 */
export async function openPinKeys(
  { settings, resources, systemClock: clock }: Runtime,
  logError: LogMessage,
): Promise<PinKeyRing> {
  const path = resources.secrets.pinKeysFile;
  if (!settings.production) await createKeyFile(path, clock());
  return openKeyRing(path, clock, (error) => logError(`PIN keys: ${error.message}`));
}

/**
 * Checks that this node has the pepper with which the database's PINs were hashed. The first node's pepper is recorded, and
 * replaced by that of a node which has the recorded one as its second.
 * @throws StartupError if this node has another pepper
 */
export async function requireSamePepper({
  db,
  runtime,
  stop,
}: Pick<ServiceContext, 'db' | 'runtime' | 'stop'>): Promise<void> {
  const { pinPepper, secondPinPepper } = runtime.resources.secrets;
  const own = pepperCheck(pinPepper);
  const second = secondPinPepper === undefined ? null : pepperCheck(secondPinPepper);
  try {
    if (own.equals(await storePepperCheck(db, own, second))) return;
    throw new StartupError(
      'PIN_PEPPER is not the one recorded in this database (table pin_pepper): give every node the same; to replace it, see docs/rotation.md.',
    );
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Runs the recurring jobs for PINs once, before the service accepts requests.
 * @returns the jobs
 */
export async function runPinJobs(deps: MembershipDeps, node: string, log: Logger): Promise<RecurringJob[]> {
  const jobs: RecurringJob[] = [
    { name: 'PIN upkeep', every_ms: MAINTAIN_EVERY_MS, run: () => maintainPins(deps, log) },
    {
      name: 'exchange of PIN keys',
      every_ms: deps.timings.key_exchange_ms,
      run: () => deps.pinKeyOffer.exchange(node, log),
    },
  ];
  await runInTurn(jobs);
  return jobs;
}

/** Renews the keys, and deletes the ciphertexts of retired keys, which are never accepted again. */
export async function maintainPins(
  { runtime, db, ring }: Pick<MembershipDeps, 'runtime' | 'db' | 'ring'>,
  log: Record<'info' | 'warn', LogMessage>,
): Promise<void> {
  const now = runtime.systemClock();
  await reportPeppers(runtime, db, (message) => log.info(message));
  await renewKeys(runtime, ring, (message) => log.warn(message));
  const kids = liveKeys(await ring.keys(), now).map((key) => key.kid);
  await deleteGoneNodes(db);
  const ago = (ms: number) => new Date(now.getTime() - ms);
  await pruneCiphertexts(db, kids, ago(KEEP_USED_MS), ago(KEEP_UNOPENED_MS));
}

/** Says whether the second pepper is still needed. */
async function reportPeppers({ resources }: Runtime, db: Db, info: LogMessage): Promise<void> {
  const { pinPepper, secondPinPepper } = resources.secrets;
  if (secondPinPepper === undefined) return;
  const count = await countOtherPeppers(db, pepperCheck(pinPepper));
  info(`PINs that may be hashed with PIN_PEPPER_SECOND: ${String(count)}.`);
}

/** Renews the keys before they expire. In production only logs a warning, because there the operator renews them. */
async function renewKeys(
  { settings, resources, systemClock: clock }: Runtime,
  ring: PinKeyRing,
  warn: LogMessage,
): Promise<void> {
  if (!needsRenewal(await ring.keys(), clock())) return;
  if (settings.production) {
    warn('PIN keys: the newest key expires soon or has expired; run `npm run rotate-pin-key`.');
    return;
  }
  await rotateKeyFile(resources.secrets.pinKeysFile, clock(), OVERLAP_MS);
  await ring.refresh();
}
