/** Stores settlements again that a restored database has lost, although the ledger has their transfer. */
import type { Terms } from '../../../lib/contracts/membership.ts';
import type { Leg } from '../../../lib/contracts/treasury.ts';
import type { Transaction } from '../../../lib/db/db.ts';
import type { Fact } from '../../../lib/events/outbox.ts';
import { lockArrears } from '../arrears/arrears.store.ts';
import { lockMeeting } from '../meetings/meeting.store.ts';
import { isOpen, type MeetingRow } from '../meetings/meeting.table.ts';
import { findInFlight, listPayments } from '../payments/contribution.store.ts';
import type { WalletOf } from './funds.rules.ts';
import { storePlan, storeSettlement } from './plan-settlement.ts';
import { totalOf } from './pot.rules.ts';
import { planRefund, planSettlement, type SettlementPlan } from './settlement.rules.ts';
import { finishPlan } from './settlement.saga.ts';
import { readFacts, readMeetingToSettle } from './settlement.store.ts';
import { PLANNED, type SettlementRow } from './settlement.table.ts';

/** A settlement or refund that the ledger has carried out. */
export interface LostPlan {
  /** Also the id of its transfer. */
  id: string;
  kind: SettlementRow['kind'];
  association_id: string;
  meeting_id: string;
  /** The legs of its transfer; none if nothing had been collected. */
  legs: readonly Leg[];
  settled_at: Date;
  settled_by_member_id: string;
  terms: Terms;
  /** The wallets that the transfer paid. */
  walletOf: WalletOf;
}

/** `facts`: the events of the settlement, which the caller writes unless they are recorded. */
export type RedonePlan = { facts: Fact[] } | { refused: string };

/** Plans the settlement again, and ends its meeting if the plan has exactly the legs of the transfer. */
export async function redoSettlement(tx: Transaction, lost: LostPlan): Promise<RedonePlan> {
  const stored = await tx.first<SettlementRow>(`SELECT * FROM settlements WHERE id = $1`, [lost.id]);
  if (stored !== undefined) return finish(tx, stored, lost);
  const known = await tx.first<MeetingRow>('SELECT * FROM meetings WHERE id = $1', [lost.meeting_id]);
  if (known === undefined) return { refused: 'its meeting is lost' };
  const meeting = await lockMeeting(tx, lost.meeting_id);
  if (!isOpen(meeting.status)) return { refused: `its meeting is ${meeting.status}` };
  if ((await findInFlight(tx, meeting.id)) !== 'nothing')
    return { refused: 'a contribution to its meeting is pending' };
  const row = lost.kind === 'cancellation' ? await planAgain(tx, meeting, lost) : await settleAgain(tx, meeting, lost);
  return row === undefined ? { refused: 'the records make another plan' } : finish(tx, row, lost);
}

async function finish(tx: Transaction, row: SettlementRow, { settled_at }: LostPlan): Promise<RedonePlan> {
  if (!PLANNED.includes(`'${row.status}'`)) return { refused: `it is ${row.status}` };
  const finished = await finishPlan(tx, row, settled_at);
  return finished === undefined ? { refused: 'it was decided' } : { facts: finished.facts };
}

async function settleAgain(tx: Transaction, meeting: MeetingRow, lost: LostPlan): Promise<SettlementRow | undefined> {
  const { id: attempt_id, association_id, meeting_id, terms, settled_by_member_id, settled_at: now, walletOf } = lost;
  const target = await readMeetingToSettle(tx, { association_id, meeting_id });
  if (target.earlier_round_open) return undefined;
  if (target.debtor_ids.length > 0) await lockArrears(tx, association_id, target.debtor_ids);
  const facts = await readFacts(tx, target);
  // The round has settled: so either nothing was missing, or the rule was to pay what was collected.
  const plan = planSettlement(target, facts, 'pay_collected', walletOf);
  if (!isOf(plan, lost.legs)) return undefined;
  // The fines of the settlement are stored again from their own events.
  const attempt = { attempt_id, meeting_id, settled_by_member_id, terms, target, not_fined: [] };
  return storeSettlement(tx, attempt, { meeting, facts, plan, now });
}

async function planAgain(tx: Transaction, meeting: MeetingRow, lost: LostPlan): Promise<SettlementRow | undefined> {
  const { id: attempt_id, terms, settled_by_member_id, settled_at: created_at } = lost;
  const paid = await listPayments(tx, meeting.id);
  const plan = planRefund(meeting.id, paid);
  if (!isOf(plan, lost.legs)) return undefined;
  const { rules_version } = terms;
  const decided = { kind: lost.kind, collected_minor: totalOf(paid), rules_version, created_at };
  return storePlan(tx, { attempt_id, settled_by_member_id }, meeting, plan, decided);
}

/** Whether the plan makes exactly this transfer. */
function isOf(plan: SettlementPlan, legs: readonly Leg[]): boolean {
  return (
    plan.legs.length === legs.length &&
    plan.legs.every(({ account, amount_minor }, index) => {
      const leg = legs[index];
      return account === leg?.account && Number(amount_minor) === leg.amount_minor;
    })
  );
}
