import type { ActionSchema } from 'moleculer';
import * as contribution from '../../../lib/contracts/contribution.ts';
import * as governance from '../../../lib/contracts/governance.ts';
import { overview, type AssociationOverview } from '../../../lib/contracts/membership.ts';
import { OVERVIEW_MAX_ASSOCIATIONS } from '../../../lib/contracts/overview.ts';
import { isBoardRole } from '../../../lib/contracts/permissions.ts';
import * as treasury from '../../../lib/contracts/treasury.ts';
import { pageThrough } from '../../../lib/paging/cursors.ts';
import { call, type CanCall } from '../../../lib/service/call.ts';
import { implement } from '../../../lib/service/implement.ts';
import { listOwnSummaries, type OwnSummary } from '../associations/association.store.ts';
import { showViewer } from '../associations/association.view.ts';
import type { MembershipDeps } from '../deps.ts';

/**
 * Reads what the caller owes, when it is their turn, what waits for their vote, and their wallets. Each service is asked
 * once about all associations of the page. If one cannot answer, neither is the overview, as it would be wrong.
 */
export function overviewAction({ reads, cursors }: MembershipDeps): ActionSchema {
  return implement(overview, async ({ query }, { user_id }, ctx) => {
    const limit = Math.min(query.limit, OVERVIEW_MAX_ASSOCIATIONS);
    const readPage = async () => {
      const { data, next_cursor } = await pageThrough(
        cursors,
        `overview/${user_id}`,
        { ...query, limit },
        (after, rows) => listOwnSummaries(reads, user_id, after, rows),
        ({ viewer }) => [viewer.joined_at.toISOString(), viewer.id],
        (summary) => summary,
      );
      return { associations: await showAll(ctx, data), next_cursor };
    };
    const [page, { wallets }] = await Promise.all([readPage(), call(ctx, treasury.listWallets, { user_id })]);
    return { ...page, wallets };
  });
}

/** Adds to each association what the other services know. */
async function showAll(via: CanCall, summaries: readonly OwnSummary[]): Promise<AssociationOverview[]> {
  if (summaries.length === 0) return [];
  const [figures, approvals] = await Promise.all([readFigures(via, summaries), readApprovals(via, summaries)]);
  return summaries.map(({ association, viewer }) => {
    const own = figures.get(association.id);
    if (own === undefined) throw new Error(`contribution did not answer about ${association.id}`);
    const { dues, owes, is_owed, arrears, fines_outstanding, fines, next_turn } = own;
    return {
      ...association,
      membership: showViewer(viewer),
      dues,
      owes,
      is_owed,
      arrears,
      fines_outstanding,
      fines,
      next_turn,
      approvals: approvals.get(association.id) ?? [],
    };
  });
}

async function readFigures(
  via: CanCall,
  summaries: readonly OwnSummary[],
): Promise<Map<string, contribution.OwnFigures>> {
  const memberships = summaries.map(({ association: { id, currency }, viewer }) => {
    return { association_id: id, member_id: viewer.id, currency };
  });
  const { associations } = await call(via, contribution.overview, { memberships });
  return new Map(associations.map((each) => [each.association_id, each]));
}

/** Reads what waits for the caller's vote. Only a board role may vote. */
async function readApprovals(
  via: CanCall,
  summaries: readonly OwnSummary[],
): Promise<Map<string, AssociationOverview['approvals']>> {
  const memberships = summaries
    .filter(({ viewer }) => isBoardRole(viewer.role))
    .map(({ association: { id }, viewer }) => ({ association_id: id, member_id: viewer.id }));
  if (memberships.length === 0) return new Map();
  const { associations } = await call(via, governance.overview, { memberships });
  return new Map(associations.map(({ association_id, approvals }) => [association_id, approvals]));
}
