import pg from 'pg';
import { uuidv7 } from 'uuidv7';
import { openPool } from '../../lib/db/pool.ts';
import { openOwnPool } from '../../lib/db/own-pool.ts';
import { KEY_PLANNING } from '../../lib/db/pool-settings.ts';
// The parsers of pg-types read bigint columns as bigints.
import '../../lib/db/pg-types.ts';
import { Outbox } from '../../lib/events/outbox.ts';
import { uuidV7Source } from '../../lib/node/ids.ts';
import { closedLoop, type Done } from './closed-loop.ts';
import { CURRENCY, type FilledGroup } from './filled-group.ts';
import { LedgerWriter } from './service-internals.ts';
import type { Load } from './worker.ts';

/** The amount of each contribution, the smallest one, so that no wallet becomes empty. */
export const AMOUNT_MINOR = 1;

/** An association and the meeting into whose pool its members pay. */
export interface HotPool extends FilledGroup {
  meeting_id: string;
}

/** A ledger for transfers from many accounts into one pool. */
export interface HotLedger {
  name: string;
  /**
   * Resolves when the transfer is committed.
   * @param id a new UUIDv7
   * @param payer index of the member who pays
   * @throws if the transfer was not posted
   */
  transfer(id: string, payer: number): Promise<void>;
  /** Returns the number of transfers into the pool so far. */
  posted(): Promise<number>;
  stop(): Promise<void>;
}

/** A ledger writer with separate connections, created as in the treasury. */
export interface OpenWriter {
  pool: pg.Pool;
  /** Posts a contribution into a pool. */
  post: (hot: HotPool, contribution: { id: string; payer: number; amount_minor: number }) => Promise<void>;
  stop: () => Promise<void>;
}

/** Opens a ledger writer, whose events are not published. */
export function openWriter(url: string): OpenWriter {
  const clock = () => new Date();
  // The pool that the writer opens.
  let pool: pg.Pool | undefined;
  const ledger = new LedgerWriter({
    db: {
      openBatches(_kind, connections_max) {
        const opened = (pool = openOwnPool(url, connections_max, pg.Client, { options: KEY_PLANNING }));
        return { pool: openPool(opened), close: () => opened.end() };
      },
    },
    outbox: new Outbox('treasury', clock, uuidV7Source(clock)),
    runtime: { clock, reached: () => Promise.resolve() },
  });
  if (pool === undefined) throw new Error('The ledger writer has opened no connections');
  return {
    pool,
    async post({ association_id, meeting_id, members }, { id, payer, amount_minor }) {
      const member = members[payer];
      if (member === undefined) throw new RangeError(`There is no member ${String(payer)}`);
      const legs = [
        { account: `wallet:${member.wallet_id}`, amount_minor: -amount_minor },
        { account: `pool:${meeting_id}`, amount_minor },
      ];
      const { status } = await ledger.post({
        id,
        chain_id: association_id,
        association_id,
        kind: 'contribution',
        currency: CURRENCY,
        reference: null,
        movement: { legs },
        payer_user_id: member.user_id,
        member_id: member.member_id,
      });
      if (status !== 'posted') throw new Error(`A contribution was not posted: ${status}`);
    },
    stop: () => ledger.stop(),
  };
}

/** Opens the measured ledger. */
export function treasuryLedger(url: string, hot: HotPool): HotLedger {
  const { pool, post, stop } = openWriter(url);
  return {
    name: 'ours',
    transfer: (id, payer) => post(hot, { id, payer, amount_minor: AMOUNT_MINOR }),
    posted: () => chainLength(pool, hot),
    stop,
  };
}

/** Returns the number of transfers in the association's chain. */
export async function chainLength(pool: pg.Pool, { association_id }: HotPool): Promise<number> {
  const { rows } = await pool.query<{ seq: bigint }>('SELECT seq FROM chains WHERE chain_id = $1', [association_id]);
  return Number(rows[0]?.seq ?? 0n);
}

/**
 * Posts transfers from `payers` accounts in turn.
 * @throws if the database does not hold exactly what was posted
 */
export async function postFor(ledger: HotLedger, payers: number, load: Load): Promise<Done> {
  const before = await ledger.posted();
  const done = await closedLoop(load, (number) => ledger.transfer(uuidv7(), number % payers));
  const held = (await ledger.posted()) - before;
  if (held !== done.count)
    throw new Error(`${String(done.count)} transfers were answered, but ${String(held)} are stored`);
  return done;
}
