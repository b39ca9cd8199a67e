import pg from 'pg';
import { AMOUNT_MINOR, CURRENCY } from './amounts.ts';
import { CHECK, CONTRIBUTIONS, GROUPS, PEOPLE, POOLS, WALLETS, WALLET_DEPOSITS } from './fill-ledger-sql.ts';
import type { LedgerDatabase } from './ledger-server.ts';

/** As many people pay into the hot pool; at 512 in flight each of them pays once at a time. */
const HOT_WALLETS = 512;
/** An association of an ordinary size. */
const WALLETS_OF_OTHERS = 10;
/** How many transfers there are for each of the other associations: some years of ten people's contributions. */
const TRANSFERS_OF_OTHERS = 1_000;
/** One transfer in so many is of the hot association. */
const HOT_SHARE = 10;
/** More than anyone pays in while the benchmark runs, one minor unit a time, and far from a balance's limit. */
const DEPOSIT_MINOR = 1_000_000_000;
/** One statement writes so many transfers: enough to spread the cost of a statement, and little to hold in memory. */
const CHUNK_TRANSFERS = 50_000;

/** The association whose pool everyone pays into. */
export interface HotAssociation {
  id: string;
  /** The pool's name within the chain. */
  pool: string;
  members: HotMember[];
}

export interface HotMember {
  member_id: string;
  user_id: string;
  /** The account of the wallet that the member pays from. */
  wallet: string;
}

/**
 * Makes a ledger with a history: wallets with money in them, of the hot association and of as many others as the
 * transfers ask for, and `transfers` contributions from them, interleaved as they are in life. Every row is as the
 * ledger writer leaves it, those of the outbox too, but for the hashes: they are linked, but of other texts.
 */
export async function fillLedger(database: LedgerDatabase, transfers: number): Promise<HotAssociation> {
  const admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
  try {
    // Only what is measured has to last; the checkpoint at the end makes this last, too.
    await admin.query('SET synchronous_commit = off');
    const hot = await makeGroups(admin, transfers);
    await admin.query(WALLETS, [CURRENCY, DEPOSIT_MINOR, AMOUNT_MINOR]);
    await admin.query(WALLET_DEPOSITS, [CURRENCY, DEPOSIT_MINOR]);
    await admin.query(POOLS, [CURRENCY, AMOUNT_MINOR]);
    for (let from = 0; from < transfers; from += CHUNK_TRANSFERS) {
      const last = Math.min(from + CHUNK_TRANSFERS, transfers) - 1;
      const others = othersFor(transfers);
      await admin.query(CONTRIBUTIONS, [CURRENCY, AMOUNT_MINOR, DEPOSIT_MINOR, from, last, HOT_SHARE, others]);
    }
    await expectValid(admin);
    await admin.query('VACUUM (ANALYZE)');
    await admin.query('CHECKPOINT');
    return hot;
  } finally {
    await admin.end();
  }
}

/** How many other associations share in so many transfers. */
function othersFor(transfers: number): number {
  return Math.ceil(transfers / TRANSFERS_OF_OTHERS);
}

/** The temporary tables that the other statements read: group 0 is the hot association, the others follow. */
async function makeGroups(admin: pg.Client, transfers: number): Promise<HotAssociation> {
  const hot_transfers = Math.ceil(transfers / HOT_SHARE);
  for (const statement of GROUPS.tables) await admin.query(statement);
  const hot = await admin.query<{ id: string; meeting_id: string }>(GROUPS.hot, [HOT_WALLETS, hot_transfers]);
  await admin.query(GROUPS.others, [othersFor(transfers), WALLETS_OF_OTHERS, transfers - hot_transfers]);
  for (const statement of PEOPLE.fill) await admin.query(statement);
  const { rows: members } = await admin.query<HotMember>(PEOPLE.hot);
  const [group] = hot.rows;
  if (group === undefined) throw new Error('The hot association was not made');
  return { id: group.id, pool: `pool:${group.meeting_id}`, members };
}

/** @throws if the rows are not a ledger: every sum at zero, every account and chain at its last row */
async function expectValid(admin: pg.Client): Promise<void> {
  const { rows } = await admin.query<{ broken: string | null }>(CHECK);
  const broken = rows[0]?.broken;
  if (broken !== null) throw new Error(`The filled ledger is not valid: ${String(broken)}`);
}
