/**
 * Stored locks, by which membership makes sure that nothing begins in another service while it ends an association or a
 * membership (ADR 17). A lock alone refuses nothing: what it means is known once membership has decided, so a request
 * that meets one waits for that. For services with a table `locks` of subject, owner_id (together its key) and lifted.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import type { Remains } from '../contracts/approvals.ts';
import { problem } from '../errors/problem.ts';
import type { Foundation } from '../service/foundation.ts';
import { shareSubjects, takeSubject } from './advisory.ts';

/** How long a request waits for a lock's outcome: an ending takes some 50 ms, and the gateway waits 10 s in all. */
export const LOCK_WAIT_MS = 3_000;
/** Each look is a transaction here and a call of membership; only requests that meet a lock take them. */
const LOCK_POLL_MS = 50;

/** The lock of a subject for what is to end it. */
export interface Lock {
  subject: string;
  /** The approval or the departure that wants it. */
  owner_id: string;
}

/** The subject that one membership is: who leaves and joins again has another tenure, which old locks do not touch. */
export function membershipSubject({ member_id, tenure }: { member_id: string; tenure: number }): string {
  return `${member_id}/${String(tenure)}`;
}

/** What keeps a request from being stored. */
export interface Gate {
  /** Asked in the transaction that stores, before anything else. */
  isLocked: (manager: EntityManager) => Promise<boolean>;
  /** Asked between two tries; throws the refusal once it is known that the request may not be. */
  stillAllowed: () => Promise<unknown>;
  wait_ms: number;
}

/**
 * Runs `store` in a transaction in which none of the locks stands, nor can be set until it ends.
 * @throws what `stillAllowed` throws; service_unavailable if a lock stands for too long
 */
export async function storeUnlocked<T>(
  { transaction }: Pick<Foundation, 'transaction'>,
  { isLocked, stillAllowed, wait_ms }: Gate,
  store: (manager: EntityManager) => Promise<T>,
): Promise<T> {
  const began_ms = performance.now();
  for (;;) {
    const stored = await transaction(async (manager) =>
      (await isLocked(manager)) ? undefined : { result: await store(manager) },
    );
    if (stored !== undefined) return stored.result;
    // No transaction and no lock is held here: what is to be decided may need both.
    await stillAllowed();
    // Each turn may take long itself, and after its caller has given up a request is no longer stored.
    if (performance.now() - began_ms >= wait_ms) throw problem('service_unavailable');
    await sleep(LOCK_POLL_MS);
  }
}

/** Whether one of the subjects is locked; if not, none can be until this transaction ends. */
export async function areLocked(manager: EntityManager, ...subjects: string[]): Promise<boolean> {
  await shareSubjects(manager, subjects);
  // A statement of its own: it has to see what was locked while we waited.
  const [found]: { locked: boolean }[] = await manager.query(
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
  manager: EntityManager,
  { subject, owner_id }: Lock,
  remainsOf: (manager: EntityManager) => Promise<Remains>,
  dry_run = false,
): Promise<Remains> {
  await takeSubject(manager, subject);
  const remains = await remainsOf(manager);
  if (remains !== 'nothing' || dry_run) return remains;
  const rows: { lifted: boolean }[] = await manager.query(
    `INSERT INTO locks AS lock (subject, owner_id, lifted) VALUES ($1, $2, false)
     ON CONFLICT (subject, owner_id) DO UPDATE SET lifted = lock.lifted RETURNING lifted`,
    [subject, owner_id],
  );
  return rows[0]?.lifted === false ? 'nothing' : 'something';
}

/**
 * Lifts the lock of this owner for good; those of others stay. That it was lifted is kept, also where there was none
 * yet: an ending that has failed must not lock by a request that arrives late. For a transaction of its own.
 */
export async function liftLock(manager: EntityManager, { subject, owner_id }: Lock): Promise<void> {
  await takeSubject(manager, subject);
  await manager.query(
    `INSERT INTO locks (subject, owner_id, lifted) VALUES ($1, $2, true)
     ON CONFLICT (subject, owner_id) DO UPDATE SET lifted = true`,
    [subject, owner_id],
  );
}
