import { ContributionLoad, foundContributingGroup } from '../apparatus/contribution-load.ts';
import { cpuDuring, perOperation_us } from '../apparatus/cpu-time.ts';
import { inTurn } from '../apparatus/in-turn.ts';
import type { Measured, Outcome } from '../apparatus/in-turn.ts';
import { startServiceProcesses } from '../apparatus/service-processes.ts';
import type { ServiceProcesses } from '../apparatus/service-processes.ts';
import { PARTS, startUnavoidable } from '../apparatus/unavoidable.ts';
import type { Part, PartCost, Unavoidable } from '../apparatus/unavoidable.ts';
import type { Goal, Row, Spread } from '../report/row.ts';
import { ratioOf, rounded, spreadOf } from '../report/statistics.ts';
import type { Bench, Section } from '../section.ts';

/** From many to few: what is seldom called at few in flight is compiled by then, as it is in a process that lives. */
const LEVELS = [128, 32, 8, 1];

/** The level at which the tail has a goal; the CPU time has the same at each. */
const GOAL_LEVEL = 32;
const CPU_GOAL: Goal = { of: 'ratio', at: 'most', value: 1.6 };
const TAIL_GOAL: Goal = { of: 'ratio', at: 'most', value: 5 };

/** These two are loops of the same few microseconds: a part of the round shows as much as all of it. */
const SHORT_PARTS: ReadonlySet<Part> = new Set<Part>(['RSA decryption', 'token check']);
const SHORT_SHARE = 1 / 3;
/** CPU time is told in ticks of 10 ms. */
const SHORT_LEAST_MS = 500;

/** Some thousand contributions, until hot code is compiled in all processes; a second at one in flight is not enough. */
const WARM_UP_MS = 4_000;

const OURS = 'contributions';

/** Contributions over HTTP with PIN, and what they spend beside what they cannot do without. */
export const contributions: Section = {
  id: 'contributions',
  title: 'contributions over HTTP with PIN, services in five processes',
  async measure(bench) {
    await using stack = new AsyncDisposableStack();
    const processes = stack.adopt(await startServiceProcesses(), (each) => each.stop());
    const beside = stack.adopt(await startUnavoidable(), (each) => each.stop());
    const load = await ContributionLoad.of(processes.cluster, [await foundContributingGroup(processes.cluster)]);
    bench.log(' warming up');
    await contribute(processes, load, GOAL_LEVEL, WARM_UP_MS);
    for (const part of PARTS) await beside.cost(part, WARM_UP_MS, GOAL_LEVEL);
    const rows: Row[] = [];
    for (const level of LEVELS) rows.push(...(await measureLevel(bench, level, processes, load, beside)));
    return rows;
  },
};

async function measureLevel(
  bench: Bench,
  level: number,
  processes: ServiceProcesses,
  load: ContributionLoad,
  beside: Unavoidable,
): Promise<Row[]> {
  bench.log(` ${String(level)} in flight`);
  load.forgetRate();
  const measured = await inTurn(bench, [
    { name: OURS, run: (duration_ms) => contribute(processes, load, level, duration_ms) },
    ...PARTS.map((part) => ({
      name: part,
      run: async (duration_ms: number) => outcomeOf(await beside.cost(part, durationOf(part, duration_ms), level)),
    })),
  ]);
  return [rateRow(level, measured), cpuRow(level, measured), tailRow(level, measured)];
}

/** Contributes for one round; the figure is the CPU time of one contribution. */
async function contribute(
  processes: ServiceProcesses,
  load: ContributionLoad,
  level: number,
  duration_ms: number,
): Promise<Outcome> {
  const { result, spent } = await cpuDuring(processes.trees, ({ began, ended }) =>
    load.run(level, duration_ms, {
      began,
      async ended() {
        // What the relays still have to publish belongs to these contributions.
        await processes.relaysAreDone();
        await ended();
      },
    }),
  );
  const { count, seconds, p50_ms, p99_ms } = result;
  const { figure, details } = outcomeOf(perOperation_us(spent, count));
  return { figure, details: { per_s: count / seconds, p50_ms, p99_ms, ...details } };
}

/** The sum of what each process spends on an operation, with what it is the sum of. */
function outcomeOf(cost: PartCost): Outcome {
  const details = Object.fromEntries(Object.entries(cost).map(([name, us]) => [`${name}_us`, us]));
  return { figure: Object.values(cost).reduce((sum, each) => sum + each, 0), details };
}

function durationOf(part: Part, duration_ms: number): number {
  return SHORT_PARTS.has(part) ? Math.max(SHORT_LEAST_MS, duration_ms * SHORT_SHARE) : duration_ms;
}

function rateRow(level: number, measured: Measured): Row {
  const { p50_ms, p99_ms } = measured.details(OURS);
  return {
    id: `contributions.rate.${String(level)}`,
    what: `contributions, ${String(level)} in flight`,
    unit: '/s',
    ours: measured.spread(OURS, 'per_s'),
    details: allRounded({ p50_ms, p99_ms }),
  };
}

function cpuRow(level: number, measured: Measured): Row {
  const ours = measured.spread(OURS);
  const sum = sumOf(PARTS.map((part) => measured.spread(part)));
  const byProcess = Object.entries(measured.details(OURS)).filter(([name]) => name.endsWith('_us'));
  const byPart = PARTS.map((part) => [`${part}_us`, measured.spread(part).median] as const);
  return {
    id: `contributions.cpu.${String(level)}`,
    what: `CPU of a contribution, ${String(level)} in flight: five services, PostgreSQL, NATS`,
    unit: 'µs of CPU',
    ours,
    beside: { what: `${PARTS.join(' + ')}, each alone`, figure: sum },
    ratio: ratioOf(ours, sum),
    goal: CPU_GOAL,
    details: allRounded({
      ...Object.fromEntries([...byProcess, ...byPart]),
      ...measured.details('empty hops', 'empty hops: '),
      ...measured.details('plain SQL', 'plain SQL: '),
    }),
  };
}

function tailRow(level: number, measured: Measured): Row {
  const ours = measured.spread(OURS, 'p99_ms');
  const middle = measured.spread(OURS, 'p50_ms');
  return {
    id: `contributions.tail.${String(level)}`,
    what: `p99 of a contribution, ${String(level)} in flight`,
    unit: 'ms',
    ours,
    beside: { what: 'p50 of the same', figure: middle },
    ratio: ratioOf(ours, middle),
    ...(level === GOAL_LEVEL ? { goal: TAIL_GOAL } : {}),
  };
}

function sumOf(spreads: Spread[]): Spread {
  const [first] = spreads;
  const rounds = first?.rounds ?? [];
  return spreadOf(rounds.map((_, round) => spreads.reduce((sum, spread) => sum + (spread.rounds[round] ?? NaN), 0)));
}

function allRounded(figures: Record<string, number | undefined>): Record<string, number> {
  return Object.fromEntries(Object.entries(figures).map(([name, figure = NaN]) => [name, rounded(figure)]));
}
