import { getDistribution, listDistributions } from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { pageThrough } from '../../../lib/paging/cursors.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement } from '../../../lib/service/implement.ts';
import type { TreasuryDeps } from '../deps.ts';
import { listByState } from './distribution.store.ts';
import { DISTRIBUTION_STATES, distributions } from './distribution.table.ts';
import { showDistribution, statesShown } from './distribution.view.ts';

/** Lists the association's distributions, newest first. */
export const listDistributionsAction = ({ reads, cursors }: TreasuryDeps) =>
  implement(listDistributions, async ({ path: { association_id }, query }, caller, ctx) => {
    await authorizeCaller(ctx, caller, association_id, 'read');
    return pageThrough(
      cursors,
      `distributions/${association_id}/${query.status ?? ''}`,
      query,
      (after, limit) => listByState(reads, association_id, statesShown(query.status), after?.[0] ?? null, limit),
      (distribution) => [distribution.id],
      showDistribution,
    );
  });

/** Reads a distribution of the association. */
export const getDistributionAction = ({ reads }: TreasuryDeps) =>
  implement(getDistribution, async ({ path: { association_id, distribution_id } }, caller, ctx) => {
    await authorizeCaller(ctx, caller, association_id, 'read');
    const distribution = await reads.orm.findOneBy(distributions, { id: distribution_id, association_id });
    const isShown = distribution !== null && DISTRIBUTION_STATES[distribution.status].shown !== null;
    if (!isShown) throw problem('not_found');
    return showDistribution(distribution);
  });
