import { ContributionLoad, foundContributingGroup } from '../harness/contribution-load.ts';
import { PARTS, startCostFloor, type CostFloor, type Part, type PartCost } from '../harness/cost-floor.ts';
import { cpuDuring, perOperation_us } from '../harness/cpu-time.ts';
import { inTurn, type Measured, type Outcome } from '../harness/in-turn.ts';
import { startServiceProcesses, type ServiceProcesses } from '../harness/service-processes.ts';
import type { Load } from '../harness/worker.ts';
import type { Row } from '../report/row.ts';
import { ratioOf, spreadOf } from '../report/statistics.ts';
import type { Bench, Section } from '../section.ts';

/** In descending order, so that the code is already compiled at the low levels, as in a long-running process. */
const LEVELS = [128, 32, 8, 1];

/** The level at which the tail has a goal; the CPU time has the same goal at each level. */
const GOAL_LEVEL = 32;

/** Parts that repeat a very short operation, for which a part of the round is precise enough. */
const SHORT_PARTS: ReadonlySet<Part> = new Set<Part>(['RSA decryption', 'token check']);
const SHORT_SHARE = 1 / 3;
/** Enough for CPU time that is counted in ticks of 10 ms. */
const SHORT_LEAST_MS = 500;

/**
 * Warm-up at the first level, so that hot code is compiled in all processes for batches of that size. After 4 s at 32 in flight,
 * the first round at 128 still took 12 % more CPU in every process.
 */
const WARM_UP: Load = { in_flight: 128, duration_ms: 6_000 };
/** Counted, as 6 s of a slow machine are too few: two measurements of one commit at 128 in flight differed by 40 %. */
const WARM_UP_CONTRIBUTIONS = 4_000;

/** Contributions over HTTP with PIN, and their CPU time compared with the cost floor. */
export const contributions: Section = {
  id: 'contributions',
  title: 'Contributions over HTTP with PIN, services in five processes',
  async measure(bench) {
    await using stack = new AsyncDisposableStack();
    const processes = stack.adopt(await startServiceProcesses(), (each) => each.stop());
    const floor = stack.adopt(await startCostFloor(), (each) => each.stop());
    const load = await ContributionLoad.of(processes.cluster, await foundContributingGroup(processes.cluster));
    bench.log(' warming up');
    for (let count = 0; count < WARM_UP_CONTRIBUTIONS;) count += (await load.run(WARM_UP)).count;
    for (const part of PARTS) await floor.cost(part, WARM_UP);
    const rows: Row[] = [];
    for (const level of LEVELS) rows.push(...(await measureLevel(bench, level, { processes, load, floor })));
    return rows;
  },
};

interface Started {
  processes: ServiceProcesses;
  load: ContributionLoad;
  floor: CostFloor;
}

async function measureLevel(bench: Bench, in_flight: number, { processes, load, floor }: Started): Promise<Row[]> {
  bench.log(` ${String(in_flight)} in flight`);
  const measured = await inTurn(bench, [
    { name: 'ours', run: (duration_ms) => contribute(processes, load, { in_flight, duration_ms }) },
    ...PARTS.map((part) => ({
      name: part,
      run: async (round_ms: number) => {
        const duration_ms = SHORT_PARTS.has(part) ? Math.max(SHORT_LEAST_MS, round_ms * SHORT_SHARE) : round_ms;
        return sumOf(await floor.cost(part, { in_flight, duration_ms }));
      },
    })),
  ]);
  return rowsOf(in_flight, measured);
}

/** Contributes for a round. @returns the CPU time of a contribution as figure */
async function contribute(processes: ServiceProcesses, load: ContributionLoad, round: Load): Promise<Outcome> {
  const { result, spent } = await cpuDuring(processes.trees, ({ began, ended }) =>
    load.run(round, {
      began,
      async ended() {
        // The events that the relays have not yet published belong to these contributions.
        await processes.relaysAreDone();
        await ended();
      },
    }),
  );
  const { count, seconds, p50_ms, p99_ms } = result;
  const { figure, details } = sumOf(perOperation_us(spent, count));
  return { figure, details: { per_s: count / seconds, p50_ms, p99_ms, ...details } };
}

/** Returns the CPU time of all processes as figure, and that of each as details. */
function sumOf(cost: PartCost): Outcome {
  const details = Object.fromEntries(Object.entries(cost).map(([name, us]) => [`${name}_us`, us]));
  return { figure: Object.values(cost).reduce((sum, each) => sum + each, 0), details };
}

function rowsOf(level: number, measured: Measured): Row[] {
  const parts = PARTS.map((part) => measured.spread(part));
  const cpu = measured.spread('ours');
  const floor = spreadOf(
    cpu.rounds.map((_, round) => parts.reduce((sum, part) => sum + (part.rounds[round] ?? NaN), 0)),
  );
  const p50 = measured.spread('ours', 'p50_ms');
  const p99 = measured.spread('ours', 'p99_ms');
  const rows: Row[] = [
    {
      id: `contributions.rate.${String(level)}`,
      what: `contributions, ${String(level)} in flight`,
      unit: '/s',
      ours: measured.spread('ours', 'per_s'),
      details: { p50_ms: p50.median, p99_ms: p99.median },
    },
    {
      id: `contributions.cpu.${String(level)}`,
      what: `CPU of a contribution, ${String(level)} in flight: five services, PostgreSQL, NATS`,
      unit: 'µs of CPU',
      ours: cpu,
      baseline: { what: `${PARTS.join(' + ')}, each alone`, figure: floor },
      ratio: ratioOf(cpu, floor),
      goal: { of: 'ratio', at: 'most', value: 1.6 },
      details: {
        ...Object.fromEntries(Object.entries(measured.details('ours')).filter(([name]) => name.endsWith('_us'))),
        ...Object.fromEntries(PARTS.map((part, at) => [`${part}_us`, parts[at]?.median ?? NaN])),
      },
    },
  ];
  if (level !== GOAL_LEVEL) return rows;
  return [
    ...rows,
    {
      id: `contributions.tail.${String(level)}`,
      what: `p99 of a contribution, ${String(level)} in flight`,
      unit: 'ms',
      ours: p99,
      baseline: { what: 'p50 of the same', figure: p50 },
      ratio: ratioOf(p99, p50),
      goal: { of: 'ratio', at: 'most', value: 5 },
    },
  ];
}
