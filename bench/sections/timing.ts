import { randomBytes, randomInt } from 'node:crypto';
import type pg from 'pg';
import { openDatabase } from '../../lib/db/database.ts';
import { defaultDatabaseName } from '../../lib/embedded/provision.ts';
import { withDatabase } from '../../lib/config/server-urls.ts';
import { createPinKey, PIN_USER, PinSealer, type Sealed } from '../harness/pin-sealer.ts';
import { createPinCheck, hashPin, membershipDatabase, type ServiceContext } from '../harness/service-internals.ts';
import { startServiceProcesses } from '../harness/service-processes.ts';
import type { Row } from '../report/row.ts';
import { quantile, spreadOf, welchT } from '../report/statistics.ts';
import type { Section } from '../section.ts';

/** With fewer samples, a difference of a few microseconds is lost in the noise of a commit. */
const SAMPLES = 20_000;

/** Samples before the measurement, for compiled code, prepared statements and open connections. */
const WARM_UP_SAMPLES = 500;

/** The usual bound of a leakage test (TVLA): without a difference, |t| exceeds it once in 150 000 tests. */
const T_MAX = 4.5;

/** Pauses of the machine, which hit both classes alike, are left out in a second test, as in dudect. */
const CROPPED_SHARE = 0.95;

const RIGHT = '246813';

/** Two kinds of attempts that must take the same time. */
interface Comparison {
  id: string;
  what: string;
  /** Creates an attempt of each kind. */
  attempts: readonly [() => Sealed, () => Sealed];
  /** The row of the PIN before each attempt. */
  isLocked?: boolean;
  /** Whether the ciphertext is sent once before the attempt. */
  isUsed?: boolean;
}

function comparisonsWith(sealer: PinSealer): Comparison[] {
  const pin = (text: string) => () => sealer.seal(text);
  return [
    { id: 'used', what: 'a used ciphertext: right or wrong PIN', attempts: [pin(RIGHT), pin('975318')], isUsed: true },
    { id: 'digits', what: 'a wrong PIN: five right digits or none', attempts: [pin('246810'), pin('975310')] },
    { id: 'length', what: 'a wrong PIN: of the right length or not', attempts: [pin('975310'), pin('9753102468')] },
    { id: 'locked', what: 'while locked: right or wrong PIN', attempts: [pin(RIGHT), pin('975318')], isLocked: true },
    {
      id: 'unreadable',
      what: 'an unreadable ciphertext: first byte wrong or padding wrong',
      attempts: [() => sealer.wrongFirstByte(), () => sealer.wrongPadding()],
    },
  ];
}

/** Whether the time of a refused PIN reveals more than its answer: Welch's t-test of the check with its database. */
export const timing: Section = {
  id: 'timing',
  title: `Times of refused PINs, at least ${String(SAMPLES)} samples each, randomly interleaved`,
  isOnRequest: true,
  async measure({ log }) {
    await using stack = new AsyncDisposableStack();
    const processes = stack.adopt(await startServiceProcesses(), (each) => each.stop());
    // Their background work would only add noise.
    await processes.stopServices();
    const url = withDatabase(processes.cluster.adminUrl, defaultDatabaseName('membership'));
    const db = stack.adopt(await openDatabase({ url, migrationUrl: url }, membershipDatabase), (each) => each.close());
    const { ring, key } = await createPinKey();
    const pepper = randomBytes(32).toString('hex');
    const salt = randomBytes(16);
    const stored = { salt, hash: hashPin(pepper, salt, PIN_USER, RIGHT) };
    const runtime = { clock: () => new Date(), resources: { secrets: { pinPepper: pepper } } };
    // The check uses no other part of the context.
    const { check } = createPinCheck({ db, runtime } as unknown as ServiceContext, ring);
    const rows: Row[] = [];
    for (const comparison of comparisonsWith(new PinSealer(key))) {
      log(` ${comparison.what}`);
      const attempt = async (sealed: string): Promise<number> => {
        await resetPin(processes.admin('membership'), stored, comparison.isLocked === true);
        if (comparison.isUsed === true) await useAsAnother(processes.admin('membership'), sealed);
        const began_ms = performance.now();
        await check(PIN_USER, sealed, null, comparison.isLocked === true ? null : stored);
        return performance.now() - began_ms;
      };
      rows.push(rowOf(comparison, await sample(comparison, attempt)));
    }
    return rows;
  },
};

/** Samples both kinds in random order. @returns the times of each kind in milliseconds */
async function sample(
  { attempts }: Comparison,
  attempt: (sealed: string) => Promise<number>,
): Promise<[number[], number[]]> {
  const times: [number[], number[]] = [[], []];
  for (let number = 0; Math.min(times[0].length, times[1].length) < SAMPLES; number += 1) {
    const kind = randomInt(2) === 0 ? 0 : 1;
    // Both kinds are made, so that what is done between two samples does not depend on the kind.
    const made = [attempts[0](), attempts[1]()] as const;
    const time_ms = await attempt(made[kind]);
    if (number >= WARM_UP_SAMPLES) times[kind].push(time_ms);
  }
  return times;
}

function rowOf({ id, what }: Comparison, [one, other]: [number[], number[]]): Row {
  const pooled = Float64Array.from([...one, ...other]).sort();
  const longest_ms = quantile(pooled, CROPPED_SHARE);
  const cropped = [one, other].map((times) => times.filter((time_ms) => time_ms <= longest_ms));
  const all = Math.abs(welchT(one, other));
  const without = Math.abs(welchT(cropped[0]!, cropped[1]!));
  return {
    id: `timing.${id}`,
    what,
    unit: 't',
    ours: spreadOf([Math.max(all, without)]),
    goal: { of: 'figure', at: 'most', value: T_MAX },
    details: { samples: Math.min(one.length, other.length), all, cropped: without, p50_ms: quantile(pooled, 0.5) },
  };
}

async function resetPin(
  admin: pg.Pool,
  { salt, hash }: { salt: Buffer; hash: Buffer },
  isLocked: boolean,
): Promise<void> {
  await admin.query(
    `INSERT INTO pins (user_id, salt, hash, set_at) VALUES ($1, $2, $3, now()) ON CONFLICT (user_id) DO UPDATE
     SET salt = $2, hash = $3, failed_attempts = 0, lock_count = $4, locked_until = now() + $5::interval`,
    [PIN_USER, salt, hash, isLocked ? 1 : 0, isLocked ? '1 hour' : null],
  );
}

/** Stores a ciphertext as used by another user. */
async function useAsAnother(admin: pg.Pool, sealed: Sealed): Promise<void> {
  await admin.query(
    `INSERT INTO used_ciphertexts (digest, user_id, used_at) VALUES (sha256(decode($1, 'base64')), 'another', now())`,
    [sealed],
  );
}
