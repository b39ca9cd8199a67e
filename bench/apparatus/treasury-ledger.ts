import type pg from 'pg';
import { Outbox } from '../../lib/events/outbox.ts';
import type { Runtime } from '../../lib/node/runtime.ts';
import { openLedgerPool } from '../../services/treasury/persistence/ledger/connection.ts';
import { LedgerWriter } from '../../services/treasury/persistence/ledger/ledger-writer.ts';
import type { Posting } from '../../services/treasury/domain/posting.ts';
import { AMOUNT_MINOR, CURRENCY } from './amounts.ts';
import type { HotAssociation } from './fill-ledger.ts';
import type { HotLedger } from './hot-ledger.ts';
import type { LedgerDatabase } from './ledger-server.ts';

/** Our ledger writer, put together as the treasury does; what it writes to the outbox nobody relays. */
export function treasuryLedger(database: LedgerDatabase, hot: HotAssociation, runtime: Runtime): HotLedger {
  const pool = openLedgerPool(database.url);
  const outbox = new Outbox('treasury', runtime.clock, runtime.newId);
  const ledger = new LedgerWriter({ pool, outbox, runtime, eventsCommitted: () => undefined });
  return {
    name: 'ours',
    async transfer(id, payer) {
      const outcome = await ledger.post(contributionOf(hot, id, payer));
      if (outcome.status !== 'posted') throw new Error(`A contribution was not posted: ${outcome.status}`);
    },
    posted: () => headOf(pool, hot),
    async stop() {
      await ledger.stop();
      await pool.end();
    },
  };
}

/** A contribution from a member's wallet into the hot pool, as the contribution service asks for it. */
export function contributionOf(hot: HotAssociation, id: string, payer: number): Posting {
  const member = hot.members[payer];
  if (member === undefined) throw new RangeError(`There is no member ${String(payer)}`);
  return {
    id,
    chain_id: hot.id,
    association_id: hot.id,
    kind: 'contribution',
    currency: CURRENCY,
    reference: null,
    movement: {
      legs: [
        { account: member.wallet, amount_minor: -AMOUNT_MINOR },
        { account: hot.pool, amount_minor: AMOUNT_MINOR },
      ],
    },
    payer_user_id: member.user_id,
    member_id: member.member_id,
  };
}

/** How many transfers the hot association's chain has. */
export async function headOf(pool: pg.Pool, hot: HotAssociation): Promise<number> {
  const { rows } = await pool.query<{ seq: bigint }>('SELECT seq FROM chains WHERE chain_id = $1', [hot.id]);
  return Number(rows[0]?.seq ?? 0n);
}
