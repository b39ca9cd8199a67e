/** Cash deposits, distributions and corrections that wait for the board: what they prevent, and how their decision is executed. */
import * as t from '../fields.ts';
import { always, command } from '../action.ts';
import { executeApprovalCommand } from '../approvals.ts';

/** Whether the member has a cash deposit, distribution or correction that awaits its decision or execution. */
export const obligations = command({
  name: 'treasury.obligations',
  reads: always,
  input: { ...t.inAssociation, member_id: t.id() },
  answer: t.object({ pending: t.boolean() }),
});

/** Confirms or rejects a cash deposit, pays a distribution or releases its funds, reverses a transfer, once per approval. */
export const executeApproval = executeApprovalCommand('treasury');

const membership = { ...t.inAssociation, member_id: t.id(), tenure: t.integer(0, t.UNBOUNDED), departure_id: t.id() };

/**
 * Locks a membership that is about to end, unless a cash deposit, distribution or correction is open for it. The service then
 * accepts none for it. Each call checks again; once it is locked, a repeat finds it locked until the lock is lifted.
 */
export const lockMembership = command({
  name: 'treasury.lock_membership',
  input: membership,
  answer: t.object({ locked: t.boolean() }),
});

/** Lifts the lock of this departure permanently: a request to lock that arrives later has no effect. */
export const unlockMembership = command({
  name: 'treasury.unlock_membership',
  input: membership,
  answer: t.object({ ok: t.boolean() }),
});
