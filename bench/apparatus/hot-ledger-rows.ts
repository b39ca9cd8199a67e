import { pgledger } from '../beside/pgledger.ts';
import { plainLedger } from '../beside/plain-ledger.ts';
import type { Goal, Row } from '../report/row.ts';
import type { Bench } from '../section.ts';
import { fillLedger } from './fill-ledger.ts';
import { IdSupply, postFor } from './hot-ledger.ts';
import type { HotLedger } from './hot-ledger.ts';
import { inTurn } from './in-turn.ts';
import type { LedgerServer } from './ledger-server.ts';
import { treasuryLedger } from './treasury-ledger.ts';

const IN_FLIGHT = [1, 32, 128, 512];

/** The level that the goals are for. */
const GOAL_IN_FLIGHT = 128;

/** Levels without a goal are shown, and need no more than a median. */
const ROUNDS_WITHOUT_GOAL_MAX = 3;

/** The plain transactions lock the chain's head first: the chain and its first transfer are there before the clock. */
const FIRST_TRANSFERS = 1;

/**
 * Found by trial at 128 in flight, among 1, 2, 4, 8, 16 and 32, on two cores: what comes after the second connection only
 * waits for the same rows, and takes turns on the cores with who has them. At 32 they are some 30 % slower.
 */
const PLAIN_CONNECTIONS_MAX = 2;
const PGLEDGER_CONNECTIONS_MAX = 2;

/** What the rows of one section have in common. */
export interface HotLedgerRows {
  /** Begins the rows' ids. */
  prefix: string;
  /** Follows the rows' names. */
  suffix: string;
  goals: { plain: Goal; pgledger?: Goal };
}

/** Measures ours, the plain transactions and, where its files are given, pgledger at each number in flight. */
export async function hotLedgerRows(bench: Bench, server: LedgerServer, section: HotLedgerRows): Promise<Row[]> {
  const rows: Row[] = [];
  for (const in_flight of IN_FLIGHT) {
    bench.log(` ${String(in_flight)} in flight${section.suffix}`);
    rows.push(...(await rowsAt(bench, server, section, in_flight)));
  }
  return rows;
}

async function rowsAt(bench: Bench, server: LedgerServer, section: HotLedgerRows, in_flight: number): Promise<Row[]> {
  const hasGoal = in_flight === GOAL_IN_FLIGHT;
  const rounds = hasGoal ? bench.rounds : Math.min(bench.rounds, ROUNDS_WITHOUT_GOAL_MAX);
  const { ledgers, payers, stop } = await openLedgers(bench, server, in_flight);
  try {
    const ids = new IdSupply(server.runtime.newId);
    const contenders = ledgers.map((ledger) => ({
      name: ledger.name,
      before: () => server.checkpoint(),
      run: async (duration_ms: number) => {
        const { count, seconds, p50_ms, p99_ms } = await postFor(ledger, ids, { in_flight, duration_ms, payers });
        return { figure: count / seconds, details: { p50_ms, p99_ms } };
      },
    }));
    const { spread, ratio, details } = await inTurn({ ...bench, rounds }, contenders);
    const [ours, ...others] = ledgers.map(({ name }) => name);
    if (ours === undefined) return [];
    return others.map((other): Row => {
      const goal = hasGoal ? goalFor(section, other) : undefined;
      return {
        id: `${section.prefix}.${String(in_flight)}${other === 'plain' ? '' : `.${other}`}`,
        what: `postings into one pool, ${String(in_flight)} in flight${section.suffix}`,
        unit: '/s',
        ours: spread(ours),
        beside: { what: other, figure: spread(other) },
        ratio: ratio(ours, other),
        ...(goal === undefined ? {} : { goal }),
        details: {
          // Ours are with the first of the rows.
          ...(other === others[0] ? details(ours, `${ours}_`) : {}),
          ...details(other, `${other}_`),
          ...connectionsOf(other, in_flight),
        },
      };
    });
  } finally {
    await stop();
  }
}

function goalFor({ goals }: HotLedgerRows, other: string): Goal | undefined {
  return other === 'plain' ? goals.plain : goals.pgledger;
}

interface Opened {
  /** Ours first. */
  ledgers: HotLedger[];
  payers: number;
  stop: () => Promise<void>;
}

/** Each in a database of its own that is as good as empty. */
async function openLedgers({ pgledgerDir: dir }: Bench, server: LedgerServer, in_flight: number): Promise<Opened> {
  const { runtime } = server;
  const [ours, plain] = [await server.database('hot_ours'), await server.database('hot_plain')];
  const [hot, plain_hot] = [await fillLedger(ours, FIRST_TRANSFERS), await fillLedger(plain, FIRST_TRANSFERS)];
  const accounts = hot.members.length;
  const ledgers = [
    treasuryLedger(ours, hot, runtime),
    plainLedger(plain, plain_hot, runtime, Math.min(in_flight, PLAIN_CONNECTIONS_MAX)),
  ];
  const names = [ours.name, plain.name];
  const stop = async (): Promise<void> => {
    for (const ledger of ledgers) await ledger.stop();
    for (const name of names) await server.drop(name);
  };
  if (dir === undefined) return { ledgers, payers: accounts, stop };
  try {
    const name = 'hot_pgledger';
    const url = await server.empty(name);
    names.push(name);
    const connections = Math.min(in_flight, PGLEDGER_CONNECTIONS_MAX);
    ledgers.push(await pgledger(url, { dir, accounts, connections }));
    return { ledgers, payers: accounts, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function connectionsOf(other: string, in_flight: number): Record<string, number> {
  const max = other === 'plain' ? PLAIN_CONNECTIONS_MAX : PGLEDGER_CONNECTIONS_MAX;
  return { [`${other}_connections`]: Math.min(in_flight, max) };
}
