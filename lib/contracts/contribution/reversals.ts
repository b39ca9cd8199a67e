/** Commands with which the treasury takes back what a transfer has paid that the board has decided to reverse. */
import * as t from '../fields.ts';
import { always, command } from '../action.ts';

const done = t.object({ ok: t.boolean() });
const inTransfer = { ...t.inAssociation, transfer_id: t.id() };

/** Checks that what a transfer has paid could be taken back now. Refuses with not_found, meeting_not_open. */
export const checkReversal = command({
  name: 'contribution.check_reversal',
  reads: always,
  input: inTransfer,
  answer: done,
});

/**
 * Takes back what a transfer has paid: contributions to an open meeting, payments of fines. Until finish_reversal they count
 * as in flight. Executed once per correction; the first outcome is kept. Refuses with not_found, meeting_not_open,
 * already_reversed.
 */
export const takeBack = command({
  name: 'contribution.take_back',
  input: { ...inTransfer, correction_id: t.id() },
  answer: done,
});

/** Reports whether the ledger has posted the reversal. If not, what was taken back counts again. */
export const finishReversal = command({
  name: 'contribution.finish_reversal',
  input: { ...t.inAssociation, correction_id: t.id(), reversed: t.boolean() },
  answer: done,
});
