import { In, LessThan } from 'typeorm';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement } from '../../../lib/service/implement.ts';
import { listDistributions } from '../../../lib/contracts/treasury.ts';
import { pageThrough } from '../../../lib/paging/cursors.ts';
import type { TreasuryDeps } from '../deps.ts';
import { showDistribution, statesShown } from './distribution.rules.ts';
import { DistributionEntity } from './distribution.table.ts';

/** An association's distributions, newest first. */
export const listDistributionsAction = (deps: TreasuryDeps) =>
  implement(listDistributions, async ({ path: { association_id }, query }, caller, ctx) => {
    const { foundation } = deps;
    await authorizeCaller(ctx, caller, association_id, 'read');
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
