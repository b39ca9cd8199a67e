import pg from 'pg';
import { fillLedger } from '../apparatus/fill-ledger.ts';
import type { HotAssociation } from '../apparatus/fill-ledger.ts';
import { IdSupply, postFor } from '../apparatus/hot-ledger.ts';
import { inTurn } from '../apparatus/in-turn.ts';
import type { Contender } from '../apparatus/in-turn.ts';
import { startLedgerServer } from '../apparatus/ledger-server.ts';
import type { LedgerDatabase, LedgerServer } from '../apparatus/ledger-server.ts';
import { walPosition } from '../apparatus/stored-bytes.ts';
import { treasuryLedger } from '../apparatus/treasury-ledger.ts';
import { partitionLedger } from '../beside/partitioned-ledger.ts';
import type { Row } from '../report/row.ts';
import type { Bench, Section } from '../section.ts';

/** Two entries each: a million rows in the larger table. */
const TRANSFERS = 500_000;
const LEVELS = [1, 128];
const WARM_UP_MS = 500;

/** A ledger with a history, in one layout of its tables. */
interface Filled {
  name: string;
  database: LedgerDatabase;
  hot: HotAssociation;
}

/** The ledger's own statements on partitioned tables, beside the same on the tables as they are. It has no goals. */
export const partitioning: Section = {
  id: 'partitioning',
  title: 'ledger postings into one hot pool, transfers and entries in 16 hash partitions, a million entries there',
  isSimulation: true,
  async measure(bench) {
    await using stack = new AsyncDisposableStack();
    const server = stack.adopt(await startLedgerServer(), (each) => each.stop());
    const filled = [await fill(bench, server, 'plain'), await fill(bench, server, 'partitioned')];
    const pool = new pg.Pool({ connectionString: filled[0]?.database.adminUrl ?? '', max: 1 });
    const admin = stack.adopt(pool, (each) => each.end());
    const rows: Row[] = [];
    for (const level of LEVELS) rows.push(await rowOf(bench, { server, admin, level }, filled));
    return rows;
  },
};

async function fill(bench: Bench, server: LedgerServer, name: 'plain' | 'partitioned'): Promise<Filled> {
  bench.log(`  filling the ${name} one`);
  const database = await server.database(name);
  if (name === 'partitioned') await partitionLedger(database);
  return { name, database, hot: await fillLedger(database, TRANSFERS) };
}

/** What a row is measured with. */
interface Apparatus {
  server: LedgerServer;
  admin: pg.Pool;
  /** Postings in flight. */
  level: number;
}

async function rowOf(bench: Bench, apparatus: Apparatus, filled: Filled[]): Promise<Row> {
  const { level } = apparatus;
  const ids = new IdSupply(apparatus.server.runtime.newId);
  const { spread, ratio, details } = await inTurn(
    bench,
    filled.map((each) => contenderOn(apparatus, each, ids)),
  );
  return {
    id: `partitioning.${String(level)}`,
    what: `postings on partitioned tables, ${String(level)} in flight`,
    unit: '/s',
    ours: spread('partitioned'),
    beside: { what: 'on the tables as they are', figure: spread('plain') },
    ratio: ratio('partitioned', 'plain'),
    // Bytes of log for each posting.
    details: { ...details('plain', 'plain_'), ...details('partitioned', 'partitioned_') },
  };
}

function contenderOn({ server, admin, level: in_flight }: Apparatus, filled: Filled, ids: IdSupply): Contender {
  const { name, database, hot } = filled;
  return {
    name,
    async run(duration_ms) {
      const ledger = treasuryLedger(database, hot, server.runtime);
      try {
        const payers = hot.members.length;
        await postFor(ledger, ids, { in_flight, duration_ms: WARM_UP_MS, payers });
        await server.checkpoint();
        const before = await walPosition(admin);
        const { count, seconds } = await postFor(ledger, ids, { in_flight, duration_ms, payers });
        const wal_bytes = ((await walPosition(admin)) - before) / count;
        return { figure: count / seconds, details: { wal_bytes } };
      } finally {
        await ledger.stop();
      }
    },
  };
}
