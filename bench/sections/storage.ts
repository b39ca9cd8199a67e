import type { TableService } from '../../lib/config/service-names.ts';
import { ContributionLoad, foundContributingGroup } from '../apparatus/contribution-load.ts';
import { startServiceProcesses } from '../apparatus/service-processes.ts';
import type { ServiceProcesses } from '../apparatus/service-processes.ts';
import { connectionsByService, eventsKept, packedBytes, sizesOf, walPosition } from '../apparatus/stored-bytes.ts';
import type { EventsKept, TableSize } from '../apparatus/stored-bytes.ts';
import type { Row } from '../report/row.ts';
import { rounded, spreadOf } from '../report/statistics.ts';
import type { Section } from '../section.ts';

/** As many as have all pools of connections open. */
const IN_FLIGHT = 128;

/** The tables have their first pages, and the wallets and dues that belong to the group are no longer new. */
const WARM_UP_MS = 2_000;

/** What one round has left behind. */
interface Round {
  contributions: number;
  tables: { name: string; grown: TableSize }[];
  wal_bytes: number;
  events: EventsKept;
}

/** What a contribution leaves on disk, by table, and how many connections the services hold. It has no goals. */
export const storage: Section = {
  id: 'storage',
  title: 'bytes that a contribution leaves on disk, and connections, services in five processes',
  isSimulation: true,
  async measure(bench) {
    const processes = await startServiceProcesses();
    try {
      const group = await foundContributingGroup(processes.cluster);
      const load = await ContributionLoad.of(processes.cluster, [group], { keyed: true });
      bench.log('  warming up');
      await load.run(IN_FLIGHT, WARM_UP_MS);
      const rounds: Round[] = [];
      for (let round = 1; round <= bench.rounds; round += 1) {
        rounds.push(await measureRound(processes, load, bench.round_ms));
        bench.log(`  round ${String(round)}: ${String(rounds.at(-1)?.contributions)} contributions`);
      }
      const admin = (service: TableService) => processes.admin(service);
      // Idle connections are closed after some seconds: asked right behind the load.
      const connections = await connectionsByService(admin('treasury'));
      await processes.stopServices();
      return [...tableRows(rounds, await packedBytes(admin)), ...otherRows(rounds), ...connectionRows(connections)];
    } finally {
      await processes.stop();
    }
  },
};

async function measureRound(processes: ServiceProcesses, load: ContributionLoad, duration_ms: number): Promise<Round> {
  await processes.relaysAreDone();
  const before = await readAll(processes);
  const { count: contributions } = await load.run(IN_FLIGHT, duration_ms);
  await processes.relaysAreDone();
  const after = await readAll(processes);
  return {
    contributions,
    tables: [...after.sizes].map(([name, size]) => ({ name, grown: grownBy(before.sizes.get(name), size) })),
    wal_bytes: after.wal_bytes - before.wal_bytes,
    events: { count: after.events.count - before.events.count, bytes: after.events.bytes - before.events.bytes },
  };
}

/** What there is on disk. */
interface Stored {
  sizes: Map<string, TableSize>;
  wal_bytes: number;
  events: EventsKept;
}

async function readAll(processes: ServiceProcesses): Promise<Stored> {
  return {
    sizes: await sizesOf((service) => processes.admin(service)),
    wal_bytes: await walPosition(processes.admin('treasury')),
    events: await eventsKept(processes.cluster),
  };
}

function grownBy(before: TableSize | undefined, after: TableSize): TableSize {
  return {
    rows: after.rows - (before?.rows ?? 0),
    heap: after.heap - (before?.heap ?? 0),
    indexes: after.indexes - (before?.indexes ?? 0),
    toast: after.toast - (before?.toast ?? 0),
  };
}

/** The tables that grow with contributions, the largest first, and their sum. */
function tableRows(rounds: Round[], packed: ReadonlyMap<string, number>): Row[] {
  const names = rounds[0]?.tables.map(({ name }) => name) ?? [];
  const perRound = (name: string, figure: (grown: TableSize) => number): number[] =>
    rounds.map(({ tables, contributions }) => {
      const grown = tables.find((table) => table.name === name)?.grown;
      return grown === undefined ? NaN : figure(grown) / contributions;
    });
  const of = (name: string, figure: (grown: TableSize) => number) => spreadOf(perRound(name, figure));
  const rows = names
    // A table that has no new rows has only rewritten the ones that it had: its size follows the members.
    .filter((name) => of(name, ({ rows: count }) => count).median > 0)
    .map((name): Row => {
      const count = of(name, ({ rows: added }) => added).median;
      return {
        id: `storage.${name}`,
        what: `table ${name}, for each contribution`,
        unit: 'bytes',
        ours: of(name, sumOf),
        details: {
          rows: rounded(count),
          heap_bytes: rounded(of(name, ({ heap }) => heap).median),
          indexes_bytes: rounded(of(name, ({ indexes }) => indexes).median),
          toast_bytes: rounded(of(name, ({ toast }) => toast).median),
          packed_bytes: rounded(count * (packed.get(name) ?? 0)),
        },
      };
    })
    .toSorted((a, b) => b.ours.median - a.ours.median);
  const total = rounds.map(
    ({ tables, contributions }) => tables.reduce((sum, { grown }) => sum + sumOf(grown), 0) / contributions,
  );
  const packed_bytes = rows.reduce((sum, { details }) => sum + Number(details?.['packed_bytes']), 0);
  const what = 'all tables of the four databases, for each contribution';
  return [{ id: 'storage.tables', what, unit: 'bytes', ours: spreadOf(total), details: { packed_bytes } }, ...rows];
}

function otherRows(rounds: Round[]): Row[] {
  const events = spreadOf(rounds.map((round) => round.events.count / round.contributions));
  return [
    {
      id: 'storage.wal',
      what: 'write-ahead log, for each contribution',
      unit: 'bytes',
      ours: spreadOf(rounds.map(({ wal_bytes, contributions }) => wal_bytes / contributions)),
    },
    {
      id: 'storage.stream',
      what: 'the JetStream stream, for each event',
      unit: 'bytes',
      ours: spreadOf(rounds.map((round) => round.events.bytes / round.events.count)),
      details: { events_per_contribution: rounded(events.median) },
    },
  ];
}

function connectionRows(connections: ReadonlyMap<string, number>): Row[] {
  return [...connections].map(([service, count]) => ({
    id: `storage.connections.${service}`,
    what: `connections of one ${service} process to its database, after ${String(IN_FLIGHT)} in flight`,
    unit: 'connections',
    ours: spreadOf([count]),
  }));
}

function sumOf({ heap, indexes, toast }: TableSize): number {
  return heap + indexes + toast;
}
