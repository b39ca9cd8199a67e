import { inTurn } from '../apparatus/in-turn.ts';
import { ContributionLoad, foundContributingGroup } from '../apparatus/contribution-load.ts';
import { cpuSecondsOf, perOperation_us } from '../apparatus/cpu-time.ts';
import type { LoadResult } from '../apparatus/http-load.ts';
import { startServiceProcesses } from '../apparatus/service-processes.ts';
import type { ServiceProcesses } from '../apparatus/service-processes.ts';
import { PARTS, startUnavoidable } from '../apparatus/unavoidable.ts';
import type { Part, PartCost, Unavoidable } from '../apparatus/unavoidable.ts';
import type { Goal, Row, Spread } from '../report/row.ts';
import { ratioOf, spreadOf } from '../report/statistics.ts';
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

/** What came of contributing for one round. */
interface Round {
  load: LoadResult;
  cost: PartCost;
}

/** Contributions over HTTP with PIN, and what they spend beside what they cannot do without. */
export const contributions: Section = {
  id: 'contributions',
  title: 'contributions over HTTP with PIN, services in five processes',
  async measure(bench) {
    const processes = await startServiceProcesses();
    try {
      const beside = await startUnavoidable();
      try {
        const load = await ContributionLoad.of(processes.cluster, [await foundContributingGroup(processes.cluster)]);
        bench.log(' warming up');
        await contribute(processes, load, GOAL_LEVEL, WARM_UP_MS);
        for (const part of PARTS) await beside.cost(part, WARM_UP_MS, GOAL_LEVEL);
        const rows: Row[] = [];
        for (const level of LEVELS) rows.push(...(await measureLevel(bench, level, processes, load, beside)));
        return rows;
      } finally {
        await beside.stop();
      }
    } finally {
      await processes.stop();
    }
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
  const rounds: Round[] = [];
  const parts = new Map<Part, PartCost[]>(PARTS.map((part) => [part, []]));
  load.forgetRate();
  const measured = await inTurn(bench, [
    {
      name: OURS,
      run: async (duration_ms) => {
        const round = await contribute(processes, load, level, duration_ms);
        rounds.push(round);
        return totalOf(round.cost);
      },
    },
    ...PARTS.map((part) => ({
      name: part,
      run: async (duration_ms: number) => {
        const cost = await beside.cost(part, durationOf(part, duration_ms), level);
        parts.get(part)?.push(cost);
        return totalOf(cost);
      },
    })),
  ]);
  const sum = sumOf(PARTS.map((part) => measured.spread(part)));
  // The first of each was for warming up.
  const kept = rounds.slice(1);
  const details = {
    ...medians(
      kept.map((round) => round.cost),
      '',
    ),
    ...Object.fromEntries(PARTS.map((part) => [`${part}_us`, rounded(measured.spread(part).median)])),
    ...medians(parts.get('empty hops')?.slice(1) ?? [], 'empty hops: '),
    ...medians(parts.get('plain SQL')?.slice(1) ?? [], 'plain SQL: '),
  };
  return [rateRow(level, kept), cpuRow(level, measured.spread(OURS), sum, details), tailRow(level, kept)];
}

async function contribute(
  processes: ServiceProcesses,
  load: ContributionLoad,
  level: number,
  duration_ms: number,
): Promise<Round> {
  const { trees } = processes;
  let [before, after] = [{}, {}];
  const result = await load.run(level, duration_ms, {
    began: async () => void (before = await cpuSecondsOf(trees)),
    ended: async () => {
      // What the relays still have to publish belongs to these contributions.
      await processes.relaysAreDone();
      after = await cpuSecondsOf(trees);
    },
  });
  return { load: result, cost: perOperation_us(before, after, result.count) };
}

function durationOf(part: Part, duration_ms: number): number {
  return SHORT_PARTS.has(part) ? Math.max(SHORT_LEAST_MS, duration_ms * SHORT_SHARE) : duration_ms;
}

function rateRow(level: number, rounds: Round[]): Row {
  const of = (figure: (load: LoadResult) => number): Spread => spreadOf(rounds.map(({ load }) => figure(load)));
  return {
    id: `contributions.rate.${String(level)}`,
    what: `contributions, ${String(level)} in flight`,
    unit: '/s',
    ours: of(({ count, seconds }) => count / seconds),
    details: {
      p50_ms: rounded(of(({ p50_ms }) => p50_ms).median),
      p99_ms: rounded(of(({ p99_ms }) => p99_ms).median),
    },
  };
}

function cpuRow(level: number, ours: Spread, sum: Spread, details: Record<string, number>): Row {
  return {
    id: `contributions.cpu.${String(level)}`,
    what: `CPU of a contribution, ${String(level)} in flight: five services, PostgreSQL, NATS`,
    unit: 'µs of CPU',
    ours,
    beside: { what: `${PARTS.join(' + ')}, each alone`, figure: sum },
    ratio: ratioOf(ours, sum),
    goal: CPU_GOAL,
    details,
  };
}

function tailRow(level: number, rounds: Round[]): Row {
  const ours = spreadOf(rounds.map(({ load }) => load.p99_ms));
  const middle = spreadOf(rounds.map(({ load }) => load.p50_ms));
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

function totalOf(cost: PartCost): number {
  return Object.values(cost).reduce((sum, each) => sum + each, 0);
}

function sumOf(spreads: Spread[]): Spread {
  const [first] = spreads;
  const rounds = first?.rounds ?? [];
  return spreadOf(rounds.map((_, round) => spreads.reduce((sum, spread) => sum + (spread.rounds[round] ?? NaN), 0)));
}

function medians(costs: PartCost[], prefix: string): Record<string, number> {
  const names = Object.keys(costs[0] ?? {});
  return Object.fromEntries(
    names.map((name) => [`${prefix}${name}_us`, rounded(spreadOf(costs.map((cost) => cost[name] ?? NaN)).median)]),
  );
}

function rounded(figure: number): number {
  return Number(figure.toPrecision(3));
}
