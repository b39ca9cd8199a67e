/**
 * Stored locks, by which membership makes sure that nothing begins in another service while it ends an association or a
 * membership (ADR 17). A lock alone refuses nothing: what it means is known once membership has decided, so a request
 * that meets one waits for that. For services with the table `locks`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Remains } from '../contracts/approvals.ts';
import type { Db, Pool, Transaction } from '../db/db.ts';
import { bool, key, table, text, uuid } from '../db/table.ts';
import type { RowOf } from '../db/table.ts';
import { problem } from '../errors/problem.ts';
import { shareSubjects, takeSubject } from './advisory.ts';

/** The lock of a subject, for the approval or departure that wants to end it. */
export const locks = table('locks', { subject: key(text()), owner_id: key(uuid()), lifted: bool() });

export type Lock = Omit<RowOf<typeof locks>, 'lifted'>;

/** Each look is a transaction here and a call of membership; only requests that meet a lock take them. */
const LOCK_POLL_MS = 50;

/** The subject that one membership is: a member who leaves and joins again has another tenure, which old locks do not touch. */
export function membershipSubject({ member_id, tenure }: { member_id: string; tenure: number }): string {
  return `${member_id}/${String(tenure)}`;
}

/** What keeps a request from being stored. */
export interface Gate {
  /** Asked in the transaction that stores, before anything else. */
  isLocked: (tx: Transaction) => Promise<boolean>;
  /** Asked between two tries; throws the refusal once it is known that the request may not be stored. */
  stillAllowed: () => Promise<unknown>;
  wait_ms: number;
}

/**
 * Runs `store` in a transaction in which none of the locks stands, nor can be set until it ends.
 * @throws what `stillAllowed` throws; service_unavailable if a lock stands for too long
 */
export async function storeUnlocked<T>(
  db: Pick<Pool, 'transaction'>,
  { isLocked, stillAllowed, wait_ms }: Gate,
  store: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const began_ms = performance.now();
  for (;;) {
    const stored = await db.transaction(async (tx) => ((await isLocked(tx)) ? undefined : { result: await store(tx) }));
    if (stored !== undefined) return stored.result;
    // No transaction and no lock is held here: what is to be decided may need both.
    await stillAllowed();
    // Each turn may take long itself, and once its caller has given up a request is no longer stored.
    if (performance.now() - began_ms >= wait_ms) throw problem('service_unavailable');
    await sleep(LOCK_POLL_MS);
  }
}

/** Whether one of the subjects is locked; if not, none can be until this transaction ends. */
export async function areLocked(db: Db, ...subjects: string[]): Promise<boolean> {
  await shareSubjects(db, subjects);
  // A statement of its own: it has to see what was locked while we waited.
  const found = await db.first<{ locked: boolean }>(
    'SELECT EXISTS (SELECT FROM locks WHERE subject = ANY($1) AND NOT lifted) AS locked',
    [subjects],
  );
  return found?.locked === true;
}

/**
 * Locks the subject if nothing is left of it; repeated, it answers the same. For a transaction of its own.
 * @param remainsOf asked with the subject held alone: nothing stays nothing until the transaction ends, and, once
 *   locked, after
 * @param dry_run only looks
 * @returns what it found; `something` as well for a lock that was lifted before it was set
 */
export async function lockIfEmpty(
  db: Db,
  { subject, owner_id }: Lock,
  remainsOf: (db: Db) => Promise<Remains>,
  dry_run = false,
): Promise<Remains> {
  await takeSubject(db, subject);
  const remains = await remainsOf(db);
  if (remains !== 'nothing' || dry_run) return remains;
  const lock = await db.first<{ lifted: boolean }>(
    `INSERT INTO locks AS lock (subject, owner_id, lifted) VALUES ($1, $2, false)
     ON CONFLICT (subject, owner_id) DO UPDATE SET lifted = lock.lifted RETURNING lifted`,
    [subject, owner_id],
  );
  return lock?.lifted === false ? 'nothing' : 'something';
}

/**
 * Lifts the lock of this owner for good; those of others stay. That it was lifted is kept, also where there was none
 * yet: an ending that has failed must not lock by a request that arrives late. For a transaction of its own.
 */
export async function liftLock(db: Db, { subject, owner_id }: Lock): Promise<void> {
  await takeSubject(db, subject);
  await db.run(
    `INSERT INTO locks (subject, owner_id, lifted) VALUES ($1, $2, true)
     ON CONFLICT (subject, owner_id) DO UPDATE SET lifted = true`,
    [subject, owner_id],
  );
}
