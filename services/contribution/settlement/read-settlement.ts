import { dayIn } from '../../../lib/calendar/zones.ts';
import { getSettlement, previewSettlement, type SettlementPreview } from '../../../lib/contracts/contribution.ts';
import { zoneOf, type Terms } from '../../../lib/contracts/membership.ts';
import type { Db } from '../../../lib/db/db.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement } from '../../../lib/service/implement.ts';
import type { ContributionDeps } from '../deps.ts';
import { isOpen, type MeetingPath } from '../meetings/meeting.table.ts';
import { sumFunds } from './funds.rules.ts';
import { findPayoutWallets, walletLookup, type PayoutWallets } from './find-payout-wallets.ts';
import { planSettlement, refusalToSettle } from './settlement.rules.ts';
import { findShownSettlement, readFacts, readMeetingToSettle } from './settlement.store.ts';
import { showPreview, showSettlement } from './settlement.view.ts';

/** How often a preview is read. It is repeated only if an earlier round settles during the read, hardly ever twice. */
const READS_MAX = 3;

/** Returns what settling the meeting would do now, and whether it would be refused. */
export function previewSettlementAction(deps: ContributionDeps) {
  const { reads, runtime } = deps;
  return implement(previewSettlement, async ({ path }, caller, ctx) => {
    for (let attempt = 0; attempt < READS_MAX; attempt += 1) {
      const target = await readMeetingToSettle(reads, path);
      const payee_ids = [...target.payee_ids];
      const { terms, payees } = await authorizeCaller(ctx, caller, path.association_id, 'read', { payee_ids });
      const wallets = await findPayoutWallets(deps, ctx, payees ?? [], terms.currency);
      const preview = await reads.snapshot((snapshot) => previewWithin(snapshot, path, terms, wallets, runtime.clock));
      if (preview !== undefined) return preview;
    }
    throw problem('service_unavailable');
  });
}

/**
 * Plans the settlement within a snapshot.
 * @returns undefined if an earlier round has settled since the wallets were read, so that a payee's wallet is missing
 */
async function previewWithin(
  db: Db,
  path: MeetingPath,
  terms: Terms,
  wallets: PayoutWallets,
  clock: () => Date,
): Promise<SettlementPreview | undefined> {
  const target = await readMeetingToSettle(db, path);
  const { meeting, kind, earlier_round_open } = target;
  if (!isOpen(meeting.status)) throw problem('meeting_not_open');
  if (target.payee_ids.some((member_id) => !wallets.has(member_id))) return undefined;
  const facts = await readFacts(db, target);
  const { shortfall } = terms.rules;
  const plan = planSettlement(target, facts, shortfall, walletLookup(wallets));
  const collected_minor = sumFunds(facts.collected);
  const code = refusalToSettle(meeting, kind, shortfall, collected_minor, dayIn(zoneOf(terms), clock()));
  // In the order of refusals (docs/settlement.md).
  const inFlight = facts.in_flight === 'nothing' ? undefined : 'contributions_in_flight';
  const refused_for = earlier_round_open ? 'earlier_round_open' : (inFlight ?? code ?? null);
  return showPreview(meeting, plan, collected_minor, target.rules_version ?? terms.rules_version, refused_for);
}

/** Returns a meeting's settlement. */
export function getSettlementAction({ reads }: ContributionDeps) {
  return implement(getSettlement, async ({ path }, caller, ctx) => {
    await authorizeCaller(ctx, caller, path.association_id, 'read');
    const row = await findShownSettlement(reads, path);
    if (row === undefined) throw problem('not_found');
    return showSettlement(row);
  });
}
