import { In } from 'typeorm';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement } from '../../../lib/service/implement.ts';
import { getDistribution } from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { TreasuryDeps } from '../deps.ts';
import { showDistribution, statesShown } from './distribution.rules.ts';
import { DistributionEntity } from './distribution.table.ts';

/** One distribution of the association. */
export const getDistributionAction = (deps: TreasuryDeps) =>
  implement(getDistribution, async ({ path: { association_id, distribution_id: id } }, caller, ctx) => {
    await authorizeCaller(ctx, caller, association_id, 'read');
    const where = { id, association_id, status: In(statesShown()) };
    const distribution = await deps.foundation.db.manager.findOneBy(DistributionEntity, where);
    if (distribution === null) throw problem('not_found');
    return showDistribution(distribution);
  });
