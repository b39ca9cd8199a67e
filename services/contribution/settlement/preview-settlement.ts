import { previewSettlement } from '../../../lib/contracts/contribution.ts';
import type { SettlementPreview } from '../../../lib/contracts/contribution.ts';
import type { Terms } from '../../../lib/contracts/membership.ts';
import type { Db } from '../../../lib/db/db.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement } from '../../../lib/service/implement.ts';
import type { ContributionDeps } from '../deps.ts';
import { isOpen } from '../meetings/meeting.table.ts';
import type { MeetingPath } from '../meetings/meeting.table.ts';
import { sumFunds } from './monies.rules.ts';
import { payoutWallets, walletIn } from './payout-wallets.ts';
import type { PayoutWallets } from './payout-wallets.ts';
import { refusalToSettle, planSettlement } from './settlement.rules.ts';
import { showPreview } from './settlement.view.ts';
import { readFacts } from './read-facts.ts';
import { readSituation } from './settlement.store.ts';

/** Rounds settle in order and one at a time: twice in a row while one looks is more than chance. */
const LOOKS_MAX = 3;

/** What settling the meeting would do now, and whether it would be refused. */
export function previewSettlementAction(deps: ContributionDeps) {
  const { db, runtime } = deps;
  return implement(previewSettlement, async ({ path }, caller, ctx) => {
    for (let look = 0; look < LOOKS_MAX; look += 1) {
      const situation = await readSituation(db, path);
      const payee_ids = [...situation.payee_ids];
      const { terms, payees } = await authorizeCaller(ctx, caller, path.association_id, 'read', { payee_ids });
      const wallets = await payoutWallets(deps, ctx, payees ?? [], terms.currency);
      const preview = await db.snapshot((snapshot) => previewWithin(snapshot, path, terms, wallets, runtime.clock));
      // An earlier round has settled meanwhile, and more is owed to others: look again.
      if (preview !== undefined) return preview;
    }
    throw problem('service_unavailable');
  });
}

/** Undefined if the wallet of a member who may be paid is not known. */
async function previewWithin(
  db: Db,
  path: MeetingPath,
  terms: Terms,
  wallets: PayoutWallets,
  clock: () => Date,
): Promise<SettlementPreview | undefined> {
  const situation = await readSituation(db, path);
  const { meeting, kind, earlier_round_open } = situation;
  if (!isOpen(meeting.status)) throw problem('meeting_not_open');
  if (situation.payee_ids.some((member_id) => !wallets.has(member_id))) return undefined;
  const facts = await readFacts(db, situation);
  const { shortfall } = terms.rules;
  const plan = planSettlement(situation, facts, shortfall, walletIn(wallets));
  const collected_minor = sumFunds(facts.collected);
  const hindrance = refusalToSettle(meeting, kind, shortfall, collected_minor, clock());
  // In the contract's order.
  const in_flight = facts.in_flight === 'nothing' ? undefined : 'contributions_in_flight';
  const refused_for = earlier_round_open ? 'earlier_round_open' : (in_flight ?? hindrance ?? null);
  return showPreview(meeting, plan, collected_minor, situation.rules_version ?? terms.rules_version, refused_for);
}
