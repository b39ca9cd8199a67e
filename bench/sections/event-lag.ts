import { setTimeout as sleep } from 'node:timers/promises';
import { ContributionLoad, foundContributingGroup } from '../apparatus/contribution-load.ts';
import { startEffectSubscriber } from '../apparatus/effect-subscriber.ts';
import type { EffectSubscriber } from '../apparatus/effect-subscriber.ts';
import { startServiceProcesses } from '../apparatus/service-processes.ts';
import type { Goal, Row, Spread } from '../report/row.ts';
import { quantile, spreadOf } from '../report/statistics.ts';
import type { Bench, Section } from '../section.ts';

const GOAL: Goal = { of: 'figure', at: 'most', value: 100 };

/** What full load is: the level at which the goals of contributions are set. */
const IN_FLIGHT = 32;
/**
 * A subscription's `in_flight_max`. One is in order, as every subscriber of ours takes events, and one that says nothing.
 * Eight are for effects that do not depend on the order, such as a row for each contribution.
 */
const EVENTS_AT_ONCE = [1, 8];
/** Until hot code is compiled; counts for nothing. */
const WARM_UP_MS = 4_000;
const LOAD_SHARE = 0.5;

/** Its rounds are longer than others: of the events of 2 s, a single stall of 20 ms would be the p99. */
const ROUND_TIMES = 3;

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
    const rows: Row[] = [];
    for (const at_once of EVENTS_AT_ONCE) rows.push(...(await measureFollowing(bench, at_once)));
    return rows;
  },
};

/** With services and servers of its own: a second subscriber would be in the way of the first. */
async function measureFollowing(bench: Bench, at_once: number): Promise<Row[]> {
  await using stack = new AsyncDisposableStack();
  const { cluster } = stack.adopt(await startServiceProcesses(), (each) => each.stop());
  const load = await ContributionLoad.of(cluster, [await foundContributingGroup(cluster)]);
  const subscriber = stack.adopt(await startEffectSubscriber(cluster, at_once), (each) => each.stop());
  return await measureLag(bench, load, subscriber, at_once);
}

async function measureLag(
  bench: Bench,
  load: ContributionLoad,
  subscriber: EffectSubscriber,
  at_once: number,
): Promise<Row[]> {
  const warmUp = await load.run(IN_FLIGHT, WARM_UP_MS);
  await lagsOf(subscriber, warmUp.count);
  const full = await load.run(IN_FLIGHT, bench.round_ms);
  const full_per_s = full.count / full.seconds;
  const behind = await lagsOf(subscriber, full.count);
  const per_second = full_per_s * LOAD_SHARE;
  bench.log(` ${String(at_once)} at once, full load is ${full_per_s.toFixed(0)}/s`);
  // Half the load goes by other code and connections than the full one; counts for nothing either.
  const slowedDown = await load.runAt(per_second, CONNECTIONS, WARM_UP_MS);
  await lagsOf(subscriber, slowedDown.count);
  const rounds: { p50: number; p99: number; greatest: number }[] = [];
  for (let round = 1; round <= bench.rounds; round += 1) {
    const { count } = await load.runAt(per_second, CONNECTIONS, bench.round_ms * ROUND_TIMES);
    const lags = await lagsOf(subscriber, count);
    const figures = { p50: quantile(lags, 0.5), p99: quantile(lags, 0.99), greatest: quantile(lags, 1) };
    bench.log(`  round ${String(round)}: p50 ${figures.p50.toFixed(0)} ms, p99 ${figures.p99.toFixed(0)} ms`);
    rounds.push(figures);
  }
  const details = {
    contributions_per_s: Math.round(per_second),
    events_at_once: at_once,
    greatest_ms: Math.max(...rounds.map((round) => round.greatest)),
    p99_at_full_load_ms: quantile(behind, 0.99),
  };
  const id = `event-lag.${String(at_once)}`;
  const events = at_once === 1 ? 'in order' : `${String(at_once)} at once`;
  const what = `from a contribution to a subscriber's effect, events ${events}, ${String(LOAD_SHARE * 100)} % load`;
  const of = (figure: 'p50' | 'p99'): Spread => spreadOf(rounds.map((round) => round[figure]));
  return [
    { id: `${id}.p50`, what: `${what}: p50`, unit: 'ms', ours: of('p50') },
    { id: `${id}.p99`, what: `${what}: p99`, unit: 'ms', ours: of('p99'), goal: GOAL, details },
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
