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
import { spreadOf } from '../report/statistics.ts';
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
  /** Bytes of log for each posting, in the order in which they were measured. */
  wal_bytes: number[];
}

/** The ledger's own statements on partitioned tables, beside the same on the tables as they are. It has no goals. */
export const partitioning: Section = {
  id: 'partitioning',
  title: 'ledger postings into one hot pool, transfers and entries in 16 hash partitions, a million entries there',
  isSimulation: true,
  async measure(bench) {
    const server = await startLedgerServer();
    try {
      const filled = [await fill(bench, server, 'plain'), await fill(bench, server, 'partitioned')];
      const admin = new pg.Pool({ connectionString: filled[0]?.database.adminUrl ?? '', max: 1 });
      try {
        const rows: Row[] = [];
        for (const level of LEVELS) rows.push(await rowOf(bench, { server, admin, level }, filled));
        return rows;
      } finally {
        await admin.end();
      }
    } finally {
      await server.stop();
    }
  },
};

async function fill(bench: Bench, server: LedgerServer, name: 'plain' | 'partitioned'): Promise<Filled> {
  bench.log(`  filling the ${name} one`);
  const database = await server.database(name);
  if (name === 'partitioned') await partitionLedger(database);
  return { name, database, hot: await fillLedger(database, TRANSFERS), wal_bytes: [] };
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
  for (const each of filled) each.wal_bytes = [];
  const { spread, ratio } = await inTurn(
    bench,
    filled.map((each) => contenderOn(apparatus, each, ids)),
  );
  // The first of each was for warming up.
  const wal = filled.map(({ name, wal_bytes }) => [
    `${name}_wal_bytes`,
    Math.round(spreadOf(wal_bytes.slice(1)).median),
  ]);
  return {
    id: `partitioning.${String(level)}`,
    what: `postings on partitioned tables, ${String(level)} in flight`,
    unit: '/s',
    ours: spread('partitioned'),
    beside: { what: 'on the tables as they are', figure: spread('plain') },
    ratio: ratio('partitioned', 'plain'),
    details: Object.fromEntries(wal) as Record<string, number>,
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
        filled.wal_bytes.push(((await walPosition(admin)) - before) / count);
        return count / seconds;
      } finally {
        await ledger.stop();
      }
    },
  };
}
