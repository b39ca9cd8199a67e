import { getDistribution, listDistributions } from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { pageThrough } from '../../../lib/paging/cursors.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement } from '../../../lib/service/implement.ts';
import type { TreasuryDeps } from '../deps.ts';
import { listByState } from './distribution.store.ts';
import { DISTRIBUTION_STATES } from './distribution.table.ts';
import { showDistribution, statesShown } from './distribution.view.ts';

/** Lists the association's distributions, newest first. */
export const listDistributionsAction = ({ db, cursors }: TreasuryDeps) =>
  implement(listDistributions, async ({ path: { association_id }, query }, caller, ctx) => {
    await authorizeCaller(ctx, caller, association_id, 'read');
    return pageThrough(
      cursors,
      `distributions/${association_id}/${query.status ?? ''}`,
      query,
      (after, limit) => listByState(db, association_id, statesShown(query.status), after?.[0] ?? null, limit),
      (distribution) => [distribution.id],
      showDistribution,
    );
  });

/** Reads a distribution of the association. */
export const getDistributionAction = ({ distributions }: TreasuryDeps) =>
  implement(getDistribution, async ({ path: { association_id, distribution_id } }, caller, ctx) => {
    await authorizeCaller(ctx, caller, association_id, 'read');
    const distribution = await distributions.saga.find(distribution_id);
    const isShown = distribution !== undefined && DISTRIBUTION_STATES[distribution.status].shown !== null;
    if (!isShown || distribution.association_id !== association_id) throw problem('not_found');
    return showDistribution(distribution);
  });
