import { assessFine } from '../../../lib/contracts/contribution.ts';
import { completeRules, type Authorization, type FineRule } from '../../../lib/contracts/membership.ts';
import type { Db, Transaction } from '../../../lib/db/db.ts';
import { invalid, problem } from '../../../lib/errors/problem.ts';
import { areLockedUnder, membershipSubject, storeWhenUnlocked } from '../../../lib/locks/locks.ts';
import { activeMember, authorizeCaller, requireSameMember } from '../../../lib/service/authorize-caller.ts';
import { implementWrite } from '../../../lib/service/implement-write.ts';
import { answerLocation } from '../../../lib/service/implement.ts';
import { findCycleRules } from '../cycles/cycle.store.ts';
import type { ContributionDeps } from '../deps.ts';
import { findMeeting } from '../meetings/meeting.store.ts';
import type { MeetingRow } from '../meetings/meeting.table.ts';
import { fineAmount, withinCap } from './fine.rules.ts';
import { insertFines, listDebtors, type NewFine } from './fine.store.ts';
import { assessedFact, showFine } from './fine.view.ts';

/** Fines a member by a manual rule, as a member of the board decides. */
export function assessFineAction(deps: ContributionDeps) {
  const { db, outbox, runtime, timings } = deps;
  return implementWrite(deps, assessFine, async ({ path: { association_id }, body }, caller, ctx, operation) => {
    const { member_id, code, reason, meeting_id, amount } = body;
    const asked = { member_ids: [member_id], ...(amount === undefined ? {} : { amount }) };
    const authorized = await authorizeCaller(ctx, caller, association_id, 'assess_fine', asked);
    const { terms, member } = authorized;
    const meeting = meeting_id === undefined ? null : await findMeeting(db, { association_id, meeting_id });
    const fined = activeMember(authorized, member_id);
    const { rule, rules_version } = await findRule(db, authorized, meeting, code);
    const amount_minor = await amountFor(db, rule, authorized, meeting, member_id);
    if (fined.member_id === member.member_id) throw problem('own_request');

    const fine: NewFine = {
      id: operation.id,
      association_id,
      member_id,
      code,
      meeting_id: meeting_id ?? null,
      period: 1,
      reason,
      currency: terms.currency,
      amount_minor,
      rules_version,
      assessed_by_member_id: member.member_id,
      assessed_at: runtime.clock(),
    };
    const gate = {
      isLocked: (tx: Transaction) => areLockedUnder(tx, [association_id], [association_id, membershipSubject(fined)]),
      checkStillAllowed: () => requireSameMember(ctx, caller, association_id, 'assess_fine', fined),
      wait_ms: timings.lock_wait_ms,
    };
    return storeWhenUnlocked(db, gate, async (tx) => {
      const [stored] = await insertFines(tx, [fine]);
      if (stored === undefined) throw problem('fine_exists');
      outbox.append(tx, assessedFact(stored));
      answerLocation(ctx, `/associations/${association_id}/fines/${fine.id}`);
      const answer = showFine(stored);
      await operation.keep(tx, answer);
      return answer;
    });
  });
}

/**
 * Returns the manual rule with this code: of the meeting's cycle, or of the association.
 * @throws validation_failed if there is none
 */
async function findRule(
  db: Db,
  { terms }: Authorization,
  meeting: MeetingRow | null,
  code: string,
): Promise<{ rule: FineRule; rules_version: number }> {
  const ofCycle = meeting?.cycle_id == null ? undefined : await findCycleRules(db, meeting.cycle_id);
  const { rules, rules_version } = ofCycle ?? terms;
  const rule = completeRules(rules).fines.find((each) => each.code === code && each.trigger === 'manual');
  if (rule !== undefined) return { rule, rules_version };
  const detail = 'The association has no rule of fines with this code and the trigger `manual`.';
  throw invalid({ pointer: '/code', code: 'not_allowed', detail });
}

/**
 * Returns the requested amount, or that of the rule up to its cap.
 * @throws validation_failed if the rule has neither, or the requested amount is above its cap
 */
async function amountFor(
  db: Db,
  rule: FineRule,
  { terms: { currency }, amount_minor: asked }: Authorization,
  meeting: MeetingRow | null,
  member_id: string,
): Promise<bigint> {
  if (asked !== undefined) {
    const amount_minor = BigInt(asked);
    if (withinCap(rule, currency, 0n, amount_minor) === amount_minor) return amount_minor;
    const detail = `The rule allows at most ${String(rule.cap_amount)}.`;
    throw invalid({ pointer: '/amount', code: 'too_large', detail });
  }
  const debtors = meeting === null ? [] : await listDebtors(db, meeting.id, meeting.status === 'settled');
  const owed = debtors.find((each) => each.member_id === member_id)?.outstanding_minor ?? 0n;
  const amount_minor = withinCap(rule, currency, 0n, fineAmount(rule, currency, owed));
  if (amount_minor > 0n) return amount_minor;
  const detail = 'The rule is a percentage, and the member owes nothing for a meeting that it could be of.';
  throw invalid({ pointer: '/amount', code: 'required', detail });
}
