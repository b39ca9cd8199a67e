import { setTimeout as sleep } from 'node:timers/promises';
import { ContributionLoad, foundContributingGroup } from '../apparatus/contribution-load.ts';
import { startEffectSubscriber } from '../apparatus/effect-subscriber.ts';
import type { EffectSubscriber } from '../apparatus/effect-subscriber.ts';
import { startServiceProcesses } from '../apparatus/service-processes.ts';
import type { Goal, Row } from '../report/row.ts';
import { spreadOf } from '../report/statistics.ts';
import type { Bench, Section } from '../section.ts';

const GOAL: Goal = { of: 'figure', at: 'most', value: 100 };

/** What full load is: the level at which the goals of contributions are set. */
const IN_FLIGHT = 32;
/** A row for each contribution does not depend on the order of the events. */
const EVENTS_AT_ONCE = 8;
/** Until hot code is compiled; counts for nothing. */
const WARM_UP_MS = 4_000;
const LOAD_SHARE = 0.5;

/** What comes at a fixed rate waits for no connection unless the services fall far behind. */
const CONNECTIONS = 128;

/** A subscriber that is still behind after this follows more slowly than contributions come. */
const CATCH_UP_TIMEOUT_MS = 120_000;
const POLL_MS = 50;

/**
 * How long after a contribution a subscriber's effect of it is committed, while contributions come at half the rate
 * that the services can do. Counted from the event's `time`, which is taken just before the commit that it tells of,
 * so that the flush of that commit is part of the lag.
 */
export const eventLag: Section = {
  id: 'event-lag',
  title: "from a contribution's commit to a subscriber's effect, at half load",
  async measure(bench) {
    const processes = await startServiceProcesses();
    try {
      const load = await ContributionLoad.of(processes.cluster, [await foundContributingGroup(processes.cluster)]);
      const subscriber = await startEffectSubscriber(processes.cluster, EVENTS_AT_ONCE);
      try {
        return await measureLag(bench, load, subscriber);
      } finally {
        await subscriber.stop();
      }
    } finally {
      await processes.stop();
    }
  },
};

async function measureLag(bench: Bench, load: ContributionLoad, subscriber: EffectSubscriber): Promise<Row[]> {
  const warmUp = await load.run(IN_FLIGHT, WARM_UP_MS);
  await lagsOf(subscriber, warmUp.count);
  const full = await load.run(IN_FLIGHT, bench.round_ms);
  const full_per_s = full.count / full.seconds;
  const behind = await lagsOf(subscriber, full.count);
  const per_second = full_per_s * LOAD_SHARE;
  bench.log(` full load is ${full_per_s.toFixed(0)}/s`);
  const rounds: { p50: number; p99: number; greatest: number }[] = [];
  for (let round = 1; round <= bench.rounds; round += 1) {
    const { count } = await load.runAt(per_second, CONNECTIONS, bench.round_ms);
    const lags = await lagsOf(subscriber, count);
    const figures = { p50: quantile(lags, 0.5), p99: quantile(lags, 0.99), greatest: quantile(lags, 1) };
    bench.log(`  round ${String(round)}: p50 ${figures.p50.toFixed(0)} ms, p99 ${figures.p99.toFixed(0)} ms`);
    rounds.push(figures);
  }
  const details = {
    contributions_per_s: Math.round(per_second),
    events_at_once: EVENTS_AT_ONCE,
    greatest_ms: Math.max(...rounds.map((round) => round.greatest)),
    p99_at_full_load_ms: quantile(behind, 0.99),
  };
  const what = `from a contribution to a subscriber's effect, ${String(LOAD_SHARE * 100)} % load`;
  return [
    { id: 'event-lag.p50', what: `${what}: p50`, unit: 'ms', ours: spreadOf(rounds.map(({ p50 }) => p50)) },
    {
      id: 'event-lag.p99',
      what: `${what}: p99`,
      unit: 'ms',
      ours: spreadOf(rounds.map(({ p99 }) => p99)),
      goal: GOAL,
      details,
    },
  ];
}

/** The lags of the next `count` effects, once all of them are there. */
async function lagsOf(subscriber: EffectSubscriber, count: number): Promise<number[]> {
  const lags: number[] = [];
  for (const end = Date.now() + CATCH_UP_TIMEOUT_MS; lags.length < count; await sleep(POLL_MS)) {
    lags.push(...(await subscriber.takeLags()));
    if (Date.now() > end) throw new Error(`Only ${String(lags.length)} of ${String(count)} effects have come`);
  }
  return lags.toSorted((a, b) => a - b);
}

function quantile(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
