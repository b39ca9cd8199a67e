import { implementCommand } from '../../../lib/service/implement.ts';
import { transfer } from '../../../lib/contracts/treasury.ts';
import type { TreasuryDeps } from '../deps.ts';
import { associationChain } from './accounts.rules.ts';
import { transferOf } from './outcome.ts';

/** Calls for one association go to one node, so that what is concurrent gathers there; correctness does not need it. */
const BY_ASSOCIATION = { strategy: 'Shard', strategyOptions: { shardKey: 'association_id' } };

/** Posts one transfer of an association, once for its id. */
export const transferAction = ({ ledger }: TreasuryDeps) =>
  implementCommand(
    transfer,
    async ({ legs, association_id, ...rest }) => {
      const chain_id = associationChain(association_id);
      return transferOf(await ledger.post({ ...rest, association_id, chain_id, movement: { legs } }));
    },
    BY_ASSOCIATION,
  );
