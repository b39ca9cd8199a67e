import type pg from 'pg';
import { Outbox } from '../../lib/events/outbox.ts';
import type { Runtime } from '../../lib/runtime/runtime.ts';
import { openDatabase } from '../../lib/db/database.ts';
import { treasuryDatabase } from '../../services/treasury/database.ts';
import { LedgerWriter } from '../../services/treasury/ledger/ledger-writer.ts';
import type { Posting } from '../../services/treasury/ledger/posting.rules.ts';
import { AMOUNT_MINOR, CURRENCY } from './amounts.ts';
import type { HotAssociation } from './fill-ledger.ts';
import type { HotLedger } from './hot-ledger.ts';
import type { LedgerDatabase } from './ledger-server.ts';

/** Our ledger writer, put together as the treasury does; what it writes to the outbox nobody relays. */
export async function openWriter({ url, adminUrl }: LedgerDatabase, runtime: Runtime) {
  const db = await openDatabase({ url, migrationUrl: adminUrl }, treasuryDatabase);
  const ledger = new LedgerWriter({ db, outbox: new Outbox('treasury', runtime.clock, runtime.newId), runtime });
  return {
    db,
    async post(posting: Posting) {
      const outcome = await ledger.post(posting);
      if (outcome.status !== 'posted') throw new Error(`A contribution was not posted: ${outcome.status}`);
    },
    async stop() {
      await ledger.stop();
      await db.close();
    },
  };
}

export function treasuryLedger(database: LedgerDatabase, hot: HotAssociation, runtime: Runtime): HotLedger {
  const opening = openWriter(database, runtime);
  return {
    name: 'ours',
    transfer: async (id, payer) => (await opening).post(contributionOf(hot, id, payer)),
    async posted() {
      const { db } = await opening;
      const head = await db.first<{ seq: bigint }>('SELECT seq FROM chains WHERE chain_id = $1', [hot.id]);
      return Number(head?.seq ?? 0n);
    },
    stop: async () => (await opening).stop(),
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
