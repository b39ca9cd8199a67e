import { bigint, instant, integer, key, optional, table, text, uuid, type RowOf } from '../../../lib/db/table.ts';

/** What one member owes another from one settled round. */
export const arrears = table('arrears', {
  meeting_id: key(uuid()),
  debtor_id: key(uuid()),
  creditor_id: key(uuid()),
  association_id: uuid(),
  /** The creditor's place among the round's beneficiaries, from 0. Arrears are paid off in this order. */
  rank: integer(),
  amount_minor: bigint(),
  /** What is paid or in flight. */
  taken_minor: bigint(),
  paid_minor: bigint(),
  /** When the round settled. The oldest arrears are set off first. */
  settled_at: instant(),
});
export type ArrearRow = RowOf<typeof arrears>;

/** The parts of arrears that a contribution or a settlement pays. */
export const arrearsAllocations = table('arrears_allocations', {
  payment_id: key(uuid()),
  meeting_id: key(uuid()),
  debtor_id: key(uuid()),
  creditor_id: key(uuid()),
  amount_minor: bigint(),
  /** The creditor's wallet. Null for a settlement, whose payouts name the wallet. */
  wallet_id: optional(text()),
});
