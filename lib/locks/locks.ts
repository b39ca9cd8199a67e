/**
 * Stored locks. While membership ends an association or a membership, they prevent another service from storing new requests
 * for it (ADR 17). A lock does not refuse a request: the request waits until membership has decided. For services with the
 * table `locks`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Remains } from '../contracts/approvals.ts';
import type { Db, Pool, Transaction } from '../db/db.ts';
import { bool, key, table, text, uuid, type RowOf } from '../db/table.ts';
import { problem } from '../errors/problem.ts';
import { shareSubjects, takeSubject } from './advisory.ts';

/** The locks of subjects. The owner is the approval or departure that will end the subject. */
export const locks = table('locks', { subject: key(text()), owner_id: key(uuid()), lifted: bool() });

export type Lock = Omit<RowOf<typeof locks>, 'lifted'>;

/** Each poll is a transaction here and a call of membership. Only requests that meet a lock poll. */
const LOCK_POLL_MS = 50;

/**
 * Returns the subject of one membership. A member who leaves and joins again has a new tenure, to which old locks do not
 * apply.
 */
export function membershipSubject({ member_id, tenure }: { member_id: string; tenure: number }): string {
  return `${member_id}/${String(tenure)}`;
}

/** The lock that may delay a request. */
export interface Gate {
  /** Called at the start of the transaction that stores the request. */
  isLocked: (tx: Transaction) => Promise<boolean>;
  /** Called between two attempts. Throws the refusal once the request may not be stored any more. */
  checkStillAllowed?: () => Promise<unknown>;
  /** How long the request waits. */
  wait_ms: number;
}

/**
 * Runs `store` in a transaction once there is no lock; none can be set until the transaction ends.
 * @throws the refusal of `checkStillAllowed`; service_unavailable if a lock stays for too long
 */
export async function storeWhenUnlocked<T>(
  db: Pick<Pool, 'transaction'>,
  { isLocked, checkStillAllowed, wait_ms }: Gate,
  store: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const began_ms = performance.now();
  for (;;) {
    const stored = await db.transaction(async (tx) => ((await isLocked(tx)) ? undefined : { result: await store(tx) }));
    if (stored !== undefined) return stored.result;
    // Outside the transaction, as the decision may need a connection and the locks.
    await checkStillAllowed?.();
    // An attempt may take long, and a request must not be stored after its caller has given up.
    if (performance.now() - began_ms >= wait_ms) throw problem('service_unavailable');
    await sleep(LOCK_POLL_MS);
  }
}

const ARE_LOCKED = {
  name: 'locks.are_locked',
  text: 'SELECT EXISTS (SELECT FROM locks WHERE subject = ANY($1) AND NOT lifted) AS locked',
};

/** Whether one of the subjects is locked. If not, none can be locked until this transaction ends. */
export function areLocked(db: Db, ...subjects: string[]): Promise<boolean> {
  return areLockedUnder(db, subjects, subjects);
}

/**
 * As areLocked(), with the advisory locks of `guards` alone: PostgreSQL has room for a few thousand of them in all. What locks one
 * of the subjects takes those of the guards too.
 */
export async function areLockedUnder(db: Db, guards: readonly string[], subjects: readonly string[]): Promise<boolean> {
  const [, found] = await Promise.all([
    shareSubjects(db, guards),
    // A second statement, which sees locks that were set while the first one waited.
    db.first<{ locked: boolean }>(ARE_LOCKED, [subjects]),
  ]);
  return found?.locked === true;
}

/**
 * Locks the subject if it is empty; each call checks again. For a transaction that does nothing else.
 * @param remainsOf called with the exclusive lock: an empty subject stays empty until the transaction ends and, with the
 *   stored lock, afterwards
 * @param dry_run stores no lock
 * @returns what remains; `something` if the lock was lifted before it was set
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
 * Lifts the lock of this owner permanently. It is stored as lifted even if it was not set yet, so that a late request of a
 * failed ending does not lock. For a transaction that does nothing else.
 */
export async function liftLock(db: Db, { subject, owner_id }: Lock): Promise<void> {
  await takeSubject(db, subject);
  await db.run(
    `INSERT INTO locks (subject, owner_id, lifted) VALUES ($1, $2, true)
     ON CONFLICT (subject, owner_id) DO UPDATE SET lifted = true`,
    [subject, owner_id],
  );
}
