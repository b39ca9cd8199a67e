import type { Runtime } from '../../lib/runtime/runtime.ts';
import type { HotAssociation } from './fill-ledger.ts';
import type { HotLedger } from './hot-ledger.ts';
import type { LedgerDatabase } from './ledger-server.ts';
import { contributionOf, openWriter } from './treasury-ledger.ts';

/** An association's chain and its pool. */
export interface Group {
  id: string;
  pool: string;
}

/** Associations that nothing has been posted to. */
export function newGroups(count: number, newId: () => string): Group[] {
  return Array.from({ length: count }, () => ({ id: newId(), pool: `pool:${newId()}` }));
}

/** Our ledger writer, posting to one association after the other; their payers' wallets are those of `people`. */
export function spreadLedger(
  database: LedgerDatabase,
  people: HotAssociation,
  groups: readonly Group[],
  runtime: Runtime,
): HotLedger {
  const opening = openWriter(database, runtime);
  let turn = 0;
  return {
    name: 'spread',
    async transfer(id, payer) {
      const group = groups[turn % groups.length];
      if (group === undefined) throw new RangeError('There are no groups to post to');
      turn += 1;
      await (await opening).post(contributionOf({ ...people, ...group }, id, payer));
    },
    async posted() {
      const counted = await (await opening).db.first<{ count: bigint }>('SELECT count(*) FROM transfers');
      return Number(counted?.count);
    },
    stop: async () => (await opening).stop(),
  };
}
