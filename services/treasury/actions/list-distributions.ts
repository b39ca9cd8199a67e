import { In, LessThan } from 'typeorm';
import { implement } from '../../../lib/actions/implement.ts';
import { listDistributions } from '../../../lib/contracts/treasury.ts';
import { pageThrough } from '../../../lib/paging/cursors.ts';
import type { TreasuryDeps } from '../deps.ts';
import { showDistribution, statesShown } from '../domain/distribution.ts';
import { DistributionEntity } from '../persistence/distribution.entity.ts';
import { authorizedToRead } from './authorized.ts';

/** An association's distributions, newest first. */
export const listDistributionsAction = (deps: TreasuryDeps) =>
  implement(listDistributions, async ({ path: { association_id }, query }, { user_id }, ctx) => {
    const { foundation } = deps;
    await authorizedToRead(deps, ctx, association_id, user_id);
    return pageThrough(
      foundation.cursors,
      `distributions/${association_id}/${query.status ?? ''}`,
      query,
      // Ids are UUIDv7: they sort by creation.
      (after, take) =>
        foundation.db.manager.find(DistributionEntity, {
          where: {
            association_id,
            status: In(statesShown(query.status)),
            ...(after === null ? {} : { id: LessThan(after[0] ?? '') }),
          },
          order: { id: 'DESC' },
          take,
        }),
      (distribution) => [distribution.id],
      showDistribution,
    );
  });
