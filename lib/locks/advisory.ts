/**
 * Advisory locks on a subject, such as an association, in a service's own database. A transaction that stores something
 * for the subject takes its lock in shared mode. A transaction that decides whether the subject is empty takes it
 * exclusively. The lock is taken before any row is locked.
 */
import type { Db } from '../db/db.ts';

/** The first key of these advisory locks, which have two. The number is arbitrary. */
export const SUBJECT_LOCKS = 7_207;

const SHARE_SUBJECTS = {
  name: 'locks.share_subjects',
  text: 'SELECT pg_advisory_xact_lock_shared($1, hashtext(subject)) FROM unnest($2::text[]) AS subject',
};

/** Takes the subjects' locks in shared mode until this transaction ends. */
export async function shareSubjects(db: Db, subjects: readonly string[]): Promise<void> {
  await db.run(SHARE_SUBJECTS, [SUBJECT_LOCKS, subjects]);
}

/** Waits for all transactions with the subject's lock, and takes it exclusively until this transaction ends. */
export async function takeSubject(db: Db, subject: string): Promise<void> {
  await db.run('SELECT pg_advisory_xact_lock($1, hashtext($2))', [SUBJECT_LOCKS, subject]);
}
