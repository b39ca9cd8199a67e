/**
 * Advisory locks on a subject, such as an association, in a service's own database. A transaction that stores something
 * for the subject shares its lock; one that decides whether there is anything has it alone. It is taken before any row
 * is locked.
 */
import type { Db } from '../db/db.ts';

/** The class of these locks among the advisory locks of two integers; the number is arbitrary. */
const SUBJECT_LOCKS = 7_207;

/** Shares the subjects with others until this transaction ends; no other transaction has one of them alone meanwhile. */
export async function shareSubjects(db: Db, subjects: readonly string[]): Promise<void> {
  await db.run('SELECT pg_advisory_xact_lock_shared($1, hashtext(subject)) FROM unnest($2::text[]) AS subject', [
    SUBJECT_LOCKS,
    subjects,
  ]);
}

/** Waits for all transactions that share the subject, and has it alone until this transaction ends. */
export async function takeSubject(db: Db, subject: string): Promise<void> {
  await db.run('SELECT pg_advisory_xact_lock($1, hashtext($2))', [SUBJECT_LOCKS, subject]);
}
