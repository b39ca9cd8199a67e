import { pgledger } from '../baseline/pgledger.ts';
import { plainLedger } from '../baseline/plain-transfer.ts';
import { fillLedger } from '../harness/fill-ledger.ts';
import { postFor, treasuryLedger, type HotLedger } from '../harness/hot-ledger.ts';
import { inTurn } from '../harness/in-turn.ts';
import { startLedgerServer, type LedgerServer } from '../harness/ledger-server.ts';
import type { Goal, Row } from '../report/row.ts';
import type { Bench, Section } from '../section.ts';

const IN_FLIGHT = [1, 32, 128, 512];
const GOAL_IN_FLIGHT = 128;

/**
 * Plans for tables that were analyzed while nearly empty take up to 15 % more CPU time, until PostgreSQL analyzes them
 * again, which is later than the measurement.
 */
const FIRST_TRANSFERS = 1_000;

/**
 * The fastest number of connections of the plain transactions and of pgledger, at 128 in flight on two cores. More
 * connections wait for the same rows and compete for the cores; with 32 the baselines are about 30 % slower.
 */
const BASELINE_CONNECTIONS_MAX = 2;

/** The common properties of the rows of a section. */
interface HotRows {
  prefix: string;
  suffix: string;
  slowFlush: boolean;
  /** Name of the baseline -> goal. */
  goals: Record<string, Goal>;
}

/** Postings from many wallets into one pool. */
export const ledger: Section = {
  id: 'ledger',
  title: 'Ledger postings into one hot pool',
  measure: (bench) =>
    measureHotPool(bench, {
      prefix: 'ledger.hot',
      suffix: '',
      slowFlush: false,
      goals: {
        plain: { of: 'ratio', at: 'least', value: 8 },
        pgledger: { of: 'ratio', at: 'least', value: 15 },
      },
    }),
};

/** The same postings with flushes that take a millisecond longer, as on many servers. */
export const ledgerSlowFlush: Section = {
  id: 'ledger-slow-flush',
  title: 'Ledger postings into one hot pool, with a 1 ms flush',
  measure: (bench) =>
    measureHotPool(bench, {
      prefix: 'ledger.slow-flush',
      suffix: ', 1 ms flush',
      slowFlush: true,
      goals: { plain: { of: 'ratio', at: 'least', value: 25 } },
    }),
};

async function measureHotPool(bench: Bench, hotRows: HotRows): Promise<Row[]> {
  await using stack = new AsyncDisposableStack();
  const server = stack.adopt(await startLedgerServer(), (each) => each.stop());
  await server.slowFlush(hotRows.slowFlush);
  const rows: Row[] = [];
  for (const in_flight of IN_FLIGHT) {
    bench.log(` ${String(in_flight)} in flight${hotRows.suffix}`);
    rows.push(...(await measureLevel(bench, server, hotRows, in_flight)));
  }
  return rows;
}

async function measureLevel(bench: Bench, server: LedgerServer, hotRows: HotRows, in_flight: number): Promise<Row[]> {
  await using stack = new AsyncDisposableStack();
  const { ledgers, payers } = await openLedgers(bench, server, in_flight, stack);
  const measured = await inTurn(
    bench,
    ledgers.map((each) => ({
      name: each.name,
      before: () => server.checkpoint(),
      async run(duration_ms) {
        const { count, seconds, p50_ms, p99_ms } = await postFor(each, payers, { in_flight, duration_ms });
        return { figure: count / seconds, details: { p50_ms, p99_ms } };
      },
    })),
  );
  const baselines = ledgers.map(({ name }) => name).filter((name) => name !== 'ours');
  return baselines.map((baseline): Row => {
    const goal = in_flight === GOAL_IN_FLIGHT ? hotRows.goals[baseline] : undefined;
    return {
      id: `${hotRows.prefix}.${String(in_flight)}${baseline === 'plain' ? '' : `.${baseline}`}`,
      what: `postings into one pool, ${String(in_flight)} in flight${hotRows.suffix}`,
      unit: '/s',
      ours: measured.spread('ours'),
      baseline: { what: baseline, figure: measured.spread(baseline) },
      ratio: measured.ratio('ours', baseline),
      ...(goal === undefined ? {} : { goal }),
      details: { ...measured.details('ours'), ...measured.details(baseline, `${baseline}_`) },
    };
  });
}

/** Opens each ledger in a separate, nearly empty database; the stack stops the ledgers and drops the databases. */
async function openLedgers(
  { pgledgerDir }: Bench,
  server: LedgerServer,
  in_flight: number,
  stack: AsyncDisposableStack,
): Promise<{ ledgers: HotLedger[]; payers: number }> {
  const connections = Math.min(in_flight, BASELINE_CONNECTIONS_MAX);
  const keep = (database: string, ledger: HotLedger): HotLedger => {
    stack.defer(async () => {
      await ledger.stop();
      await server.drop(database);
    });
    return ledger;
  };
  const ours = await server.database('hot_ours');
  const plain = await server.database('hot_plain');
  const hot = await fillLedger(ours, FIRST_TRANSFERS);
  const plainHot = await fillLedger(plain, FIRST_TRANSFERS);
  const payers = hot.members.length;
  const ledgers = [
    keep(ours.name, treasuryLedger(ours.url, hot)),
    keep(plain.name, plainLedger(plain.url, plainHot, connections)),
  ];
  if (pgledgerDir !== undefined) {
    const url = await server.empty('hot_pgledger');
    ledgers.push(keep('hot_pgledger', await pgledger(url, { dir: pgledgerDir, accounts: payers, connections })));
  }
  return { ledgers, payers };
}
