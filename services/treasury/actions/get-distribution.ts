import { In } from 'typeorm';
import { implement } from '../../../lib/actions/implement.ts';
import { getDistribution } from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { TreasuryDeps } from '../deps.ts';
import { showDistribution, statesShown } from '../domain/distribution.ts';
import { DistributionEntity } from '../persistence/distribution.entity.ts';
import { authorizedToRead } from './authorized.ts';

/** One distribution of the association. */
export const getDistributionAction = (deps: TreasuryDeps) =>
  implement(getDistribution, async ({ path: { association_id, distribution_id: id } }, { user_id }, ctx) => {
    await authorizedToRead(deps, ctx, association_id, user_id);
    const where = { id, association_id, status: In(statesShown()) };
    const distribution = await deps.foundation.db.manager.findOneBy(DistributionEntity, where);
    if (distribution === null) throw problem('not_found');
    return showDistribution(distribution);
  });
