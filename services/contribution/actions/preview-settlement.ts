import { authorized } from '../../../lib/actions/authorized.ts';
import { implement } from '../../../lib/actions/implement.ts';
import { previewSettlement } from '../../../lib/contracts/contribution.ts';
import type { SettlementPreview } from '../../../lib/contracts/contribution.ts';
import type { Terms } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import { connectionOf, readAtOneMoment } from '../../../lib/db/pipelined-transaction.ts';
import type { Connection } from '../../../lib/db/statements.ts';
import type { ContributionDeps } from '../deps.ts';
import { takesContributions } from '../domain/meeting-states.ts';
import { sumOfFunds } from '../domain/monies.ts';
import { inNumbers, previewHash } from '../domain/preview-hash.ts';
import { shortfallOf } from '../domain/settlement.ts';
import type { SettlementPlan } from '../domain/settlement.ts';
import { judgeSettlement, readFacts } from '../sagas/judge-settlement.ts';
import type { JudgedSettlement } from '../sagas/judge-settlement.ts';
import { payoutWallets } from '../sagas/payout-wallets.ts';
import type { PayoutWallets } from '../sagas/payout-wallets.ts';
import { situationOf } from '../sagas/situation.ts';
import type { Situation } from '../sagas/situation.ts';
import { showArrears } from './show.ts';

/** Rounds settle in order and one at a time: twice in a row while one looks is more than chance. */
const LOOKS_MAX = 3;

/** What settling the meeting would do now, and whether it would be refused. */
export function previewSettlementAction(deps: ContributionDeps) {
  const { db } = deps.foundation;
  return implement(previewSettlement, async ({ path }, caller, ctx) => {
    for (let look = 0; look < LOOKS_MAX; look += 1) {
      const situation = await situationOf(connectionOf(db.pool), path);
      const payee_ids = [...situation.payee_ids];
      const authorization = await authorized(ctx, caller, path.association_id, 'read', { payee_ids });
      const wallets = await payoutWallets(deps, ctx, authorization.payees ?? [], authorization.terms.currency);
      const preview = await readAtOneMoment(db.pool, (connection) =>
        previewWithin(deps, connection, path, authorization.terms, wallets),
      );
      // An earlier round has settled meanwhile, and more is owed to others: look again.
      if (preview !== undefined) return preview;
    }
    throw problem('service_unavailable');
  });
}

/** Undefined if somebody may be paid of whom it is not known where. */
async function previewWithin(
  { foundation }: ContributionDeps,
  connection: Connection,
  path: { association_id: string; meeting_id: string },
  terms: Terms,
  wallets: PayoutWallets,
): Promise<SettlementPreview | undefined> {
  const situation = await situationOf(connection, path);
  if (!takesContributions(situation.meeting.status)) throw problem('meeting_not_open');
  if (situation.payee_ids.some((member_id) => !wallets.has(member_id))) return undefined;
  const facts = await readFacts(connection, situation);
  const grounds = { situation, terms, wallets, now: foundation.runtime.clock() };
  const judged = judgeSettlement(situation.meeting, facts, grounds);
  return shown(situation, judged, (situation.cycle ?? terms).rules_version);
}

function shown(situation: Situation, judged: JudgedSettlement, rules_version: number): SettlementPreview {
  const { meeting } = situation;
  const { plan } = judged;
  const major = (minor: bigint) => toMajor(minor, meeting.currency);
  const collected_minor = sumOfFunds(judged.collected);
  return {
    meeting_id: meeting.id,
    collected_amount: major(collected_minor),
    expected_amount: major(meeting.expected_minor),
    shortfall_amount: major(shortfallOf(meeting.expected_minor, collected_minor)),
    payouts: plan.payouts.map(({ member_id, wallet_id, method, amount_minor }) => ({
      member_id,
      wallet_id,
      method,
      amount: major(amount_minor),
    })),
    to_treasury_amount: major(plan.to_treasury_minor),
    arrears: showArrears(plan.claims.map(inNumbers), meeting.currency),
    legs: legsOf(plan),
    rules_version,
    refused_for: refusalOf(situation, judged),
    preview_hash: previewHash(meeting.id, plan),
  };
}

/** As the ledger will show them. */
function legsOf({ legs }: SettlementPlan): SettlementPreview['legs'] {
  return legs.map(({ account, amount_minor }) => ({ account, amount_minor: Number(amount_minor) }));
}

/** In the contract's order. */
function refusalOf(situation: Situation, { in_flight, hindrance }: JudgedSettlement): string | null {
  if (situation.earlier_round_open) return 'earlier_round_open';
  if (in_flight) return 'contributions_in_flight';
  return hindrance ?? null;
}
