import pg from 'pg';
import { uuidv7 } from 'uuidv7';
import { fillWallets, groupOf } from './filled-group.ts';
import { AMOUNT_MINOR, openWriter, type HotPool } from './hot-ledger.ts';
import { startWorker, type Worker } from './worker.ts';

/** Number of members who pay into the hot pool, so that with 512 in flight no member has two concurrent payments. */
const HOT_MEMBERS = 512;
/** One of this many transfers goes into the hot pool. */
const HOT_SHARE = 10;
/** The size of a usual association, and the number of its contributions in some years. */
const MEMBERS = 10;
const TRANSFERS_EACH = 1_000;
/** Number of concurrent postings; enough for large batches. */
const CHUNK_TRANSFERS = 1_000;

/** SQL of a time so long ago that a stream with a maximum age has dropped the events. */
export const PUBLISHED_AT = `now() - interval '1 year'`;

/** A new ledger's database. */
interface LedgerUrls {
  url: string;
  adminUrl: string;
}

/**
 * Fills a new ledger with a history: funded wallets, and `transfers` contributions into the returned pool and in turn
 * into the pools of other associations. The events count as published at `PUBLISHED_AT`. A separate process posts them:
 * after 1 000 concurrent postings, V8 allocates some of a writer's objects in its old generation, where they keep younger
 * objects from being collected, and each posting measured later in that process takes 10 to 15 % more CPU time.
 */
export async function fillLedger({ url, adminUrl }: LedgerUrls, transfers: number): Promise<HotPool> {
  const worker = await startWorker<number, HotPool>(import.meta.filename, { url, adminUrl });
  try {
    return await worker.run(transfers);
  } finally {
    await worker.stop();
  }
}

/** The separate process. */
export default function fillLedgerWorker(database: LedgerUrls): Worker<number, HotPool> {
  return { run: (transfers) => fill(database, transfers), stop: () => Promise.resolve() };
}

async function fill({ url, adminUrl }: LedgerUrls, transfers: number): Promise<HotPool> {
  await using stack = new AsyncDisposableStack();
  const admin = stack.adopt(new pg.Pool({ connectionString: adminUrl, max: 1 }), (each) => each.end());
  const writer = stack.adopt(openWriter(url), (each) => each.stop());
  // An UPDATE of a million events would leave half of the outbox's pages free: postings into them were about 15 % slower.
  await admin.query(`ALTER TABLE outbox ALTER published_at SET DEFAULT ${PUBLISHED_AT}`);
  const hot = newPool(HOT_MEMBERS);
  const others = Array.from({ length: Math.ceil(transfers / TRANSFERS_EACH) }, () => newPool(MEMBERS));
  for (const { members } of [hot, ...others]) await fillWallets(admin, members);
  const post = (number: number): Promise<void> => {
    const [pool, turn] =
      number % HOT_SHARE === 0
        ? [hot, number / HOT_SHARE]
        : [others[number % others.length]!, Math.floor(number / others.length)];
    return writer.post(pool, { id: uuidv7(), payer: turn % pool.members.length, amount_minor: AMOUNT_MINOR });
  };
  for (let from = 0; from < transfers; from += CHUNK_TRANSFERS) {
    const count = Math.min(CHUNK_TRANSFERS, transfers - from);
    await Promise.all(Array.from({ length: count }, (_, index) => post(from + index)));
  }
  await admin.query('ALTER TABLE outbox ALTER published_at DROP DEFAULT');
  await admin.query('VACUUM (ANALYZE)');
  await admin.query('CHECKPOINT');
  return hot;
}

function newPool(size: number): HotPool {
  return { ...groupOf(size), meeting_id: uuidv7() };
}
