import pg from 'pg';
import { Outbox } from '../../lib/events/outbox.ts';
import type { Runtime } from '../../lib/node/runtime.ts';
import { openLedgerPool } from '../../services/treasury/persistence/ledger/connection.ts';
import { LedgerWriter } from '../../services/treasury/persistence/ledger/ledger-writer.ts';
import type { HotAssociation } from './fill-ledger.ts';
import type { HotLedger } from './hot-ledger.ts';
import type { LedgerDatabase } from './ledger-server.ts';
import { contributionOf } from './treasury-ledger.ts';

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
  const pool = openLedgerPool(database.url);
  const counting = new pg.Pool({ connectionString: database.url, max: 1 });
  const outbox = new Outbox('treasury', runtime.clock, runtime.newId);
  const ledger = new LedgerWriter({ pool, outbox, runtime, eventsCommitted: () => undefined });
  let turn = 0;
  return {
    name: 'spread',
    async transfer(id, payer) {
      const group = groups[turn % groups.length];
      if (group === undefined) throw new RangeError('There are no groups to post to');
      turn += 1;
      const outcome = await ledger.post(contributionOf({ ...people, ...group }, id, payer));
      if (outcome.status !== 'posted') throw new Error(`A contribution was not posted: ${outcome.status}`);
    },
    async posted() {
      // A plan of the ledger's own connections would look for each chain by itself.
      const { rows } = await counting.query<{ count: bigint }>('SELECT count(*) FROM transfers');
      return Number(rows[0]?.count);
    },
    async stop() {
      await ledger.stop();
      await Promise.all([pool.end(), counting.end()]);
    },
  };
}
