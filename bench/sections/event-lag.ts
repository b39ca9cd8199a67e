import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceBroker } from 'moleculer';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createServiceTables } from '../../lib/db/service-tables.ts';
import { openDatabase } from '../../lib/db/database.ts';
import { grantTo } from '../../lib/db/migrate.ts';
import { provision } from '../../lib/embedded/provision.ts';
import { openBus } from '../../lib/events/stream.ts';
import { startSubscriber } from '../../lib/events/subscriber.ts';
import type { Cluster } from '../../test/harness/cluster.ts';
import { ContributionLoad, foundContributingGroup } from '../harness/contribution-load.ts';
import { cpuDuring, perOperation_us } from '../harness/cpu-time.ts';
import { startMonitoring } from '../harness/monitoring.ts';
import { startServiceProcesses } from '../harness/service-processes.ts';
import type { Row } from '../report/row.ts';
import { quantile, ratioOf, spreadOf } from '../report/statistics.ts';
import type { Bench, Section } from '../section.ts';

/** Number of requests in flight at full load, which is the level of the goals of contributions. */
const IN_FLIGHT = 32;
/** Time until hot code is compiled; not measured. */
const WARM_UP_MS = 4_000;
const LOAD_SHARE = 0.5;

/** Rounds are longer than in other sections, because in 2 s a single stall of 20 ms would determine the p99. */
const ROUND_TIMES = 3;

/** Enough that requests at a fixed rate do not wait for a connection unless the services are far behind. */
const CONNECTIONS = 128;

/** A subscriber that is still behind after this time is slower than the contributions. */
const CATCH_UP_TIMEOUT_MS = 120_000;
const POLL_MS = 50;

/**
 * The time from a contribution until a subscriber commits its effect, with contributions at half of the maximum rate.
 * It is measured from the event's `time`, which is read just before the commit of the contribution, so that the lag
 * includes the flush of that commit. In turn with it, at the same rate, the same in processes of which every trace is
 * exported and all metrics are scraped.
 */
export const eventLag: Section = {
  id: 'event-lag',
  title: "From a contribution's commit to a subscriber's effect, at half load",
  async measure(bench) {
    await using stack = new AsyncDisposableStack();
    const monitoring = stack.adopt(await startMonitoring(), (each) => each.stop());
    const plain = stack.adopt(await openScene(), (each) => each.stop());
    const monitored = stack.adopt(await openScene(monitoring.settings), (each) => each.stop());
    stack.defer(monitoring.scrape(monitored.cluster.members()));
    const rows = await measureLag(bench, plain, monitored);
    const { trace_exports, scrapes } = monitoring.received();
    if (trace_exports === 0 || scrapes === 0) throw new Error('No traces were exported, or no metrics scraped');
    return rows;
  },
};

/** The services of one configuration with their load and a subscriber. */
interface Scene {
  cluster: Cluster;
  /** Loads the services, and waits for all effects. @returns the lags in ascending order, and the CPU of the load */
  run(load: Parameters<ContributionLoad['run']>[0]): Promise<Sample>;
  stop(): Promise<void>;
}

interface Sample {
  lags: number[];
  per_second: number;
  cpu_us: number;
}

async function openScene(settings?: NodeJS.ProcessEnv): Promise<Scene> {
  await using stack = new AsyncDisposableStack();
  const { cluster, trees } = stack.adopt(await startServiceProcesses(settings), (each) => each.stop());
  const load = await ContributionLoad.of(cluster, await foundContributingGroup(cluster));
  const subscriber = stack.adopt(await startEffectSubscriber(cluster), (each) => each.stop());
  const running = stack.move();
  return {
    cluster,
    async run(options) {
      const { result, spent } = await cpuDuring(trees, () => load.run(options));
      const lags = await lagsOf(subscriber, result.count);
      const each_us = Object.values(perOperation_us(spent, result.count));
      return { lags, per_second: result.count / result.seconds, cpu_us: each_us.reduce((sum, us) => sum + us, 0) };
    },
    stop: () => running.disposeAsync(),
  };
}

async function measureLag(bench: Bench, plain: Scene, monitored: Scene): Promise<Row[]> {
  for (const scene of [plain, monitored]) await scene.run({ in_flight: IN_FLIGHT, duration_ms: WARM_UP_MS });
  const full = await plain.run({ in_flight: IN_FLIGHT, duration_ms: bench.round_ms });
  const per_second = full.per_second * LOAD_SHARE;
  const halfLoad = (scene: Scene, duration_ms: number) =>
    scene.run({ in_flight: CONNECTIONS, duration_ms, per_second });
  // Half load uses other code and more connections than full load, so it has a separate warm-up.
  for (const scene of [plain, monitored]) await halfLoad(scene, WARM_UP_MS);
  const rounds: { plain: Figures; monitored: Figures }[] = [];
  for (let round = 1; round <= bench.rounds; round += 1) {
    const figures = {
      plain: figuresOf(await halfLoad(plain, bench.round_ms * ROUND_TIMES)),
      monitored: figuresOf(await halfLoad(monitored, bench.round_ms * ROUND_TIMES)),
    };
    for (const [name, { p50, p99, cpu }] of Object.entries(figures)) {
      bench.log(
        `  round ${String(round)}, ${name}: p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, ${cpu.toFixed(0)} µs of CPU`,
      );
    }
    rounds.push(figures);
  }
  const what = `from a contribution to a subscriber's effect, events in order, ${String(LOAD_SHARE * 100)} % load`;
  const spread = (name: 'plain' | 'monitored', figure: keyof Figures) =>
    spreadOf(rounds.map((each) => each[name][figure]));
  const compared = (figure: keyof Figures) => ({
    ours: spread('monitored', figure),
    baseline: { what: 'without traces and scrapes', figure: spread('plain', figure) },
    ratio: ratioOf(spread('monitored', figure), spread('plain', figure)),
  });
  const on = `${what}, with all traces exported and metrics scraped`;
  return [
    { id: 'event-lag.1.p50', what: `${what}: p50`, unit: 'ms', ours: spread('plain', 'p50') },
    {
      id: 'event-lag.1.p99',
      what: `${what}: p99`,
      unit: 'ms',
      ours: spread('plain', 'p99'),
      goal: { of: 'figure', at: 'most', value: 100 },
      details: { contributions_per_s: Math.round(per_second) },
    },
    { id: 'event-lag.monitored.p50', what: `${on}: p50`, unit: 'ms', ...compared('p50') },
    { id: 'event-lag.monitored.p99', what: `${on}: p99`, unit: 'ms', ...compared('p99') },
    { id: 'event-lag.monitored.cpu', what: `${on}: CPU of a contribution`, unit: 'µs of CPU', ...compared('cpu') },
  ];
}

interface Figures {
  p50: number;
  p99: number;
  cpu: number;
}

const figuresOf = ({ lags, cpu_us }: Sample): Figures => ({
  p50: quantile(lags, 0.5),
  p99: quantile(lags, 0.99),
  cpu: cpu_us,
});

/** Waits for the next `count` effects. @returns their lags in ascending order */
async function lagsOf(subscriber: EffectSubscriber, count: number): Promise<number[]> {
  const lags: number[] = [];
  for (const end = Date.now() + CATCH_UP_TIMEOUT_MS; lags.length < count; await sleep(POLL_MS)) {
    lags.push(...subscriber.takeLags());
    if (Date.now() > end) throw new Error(`Only ${String(lags.length)} of ${String(count)} effects were committed`);
  }
  return lags.toSorted((a, b) => a - b);
}

/** A subscriber that writes a row for each contribution into a separate database. */
interface EffectSubscriber {
  /** Returns the lags in ms of the effects since the last call. */
  takeLags(): number[];
  stop(): Promise<void>;
}

const NAME = 'bench_effects';

class CreateEffects1764000000000 implements MigrationInterface {
  name = 'CreateEffects1764000000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await createServiceTables(queryRunner);
    await queryRunner.query('CREATE TABLE effects (contribution_id uuid PRIMARY KEY, amount_minor bigint NOT NULL)');
    await grantTo(queryRunner, 'effects', 'SELECT, INSERT');
  }

  /** Does nothing, because the database is removed with its server. */
  down(): Promise<void> {
    return Promise.resolve();
  }
}

/** Starts the subscriber in this process, which does little else. It begins with the first event in the stream. */
async function startEffectSubscriber({ adminUrl, natsUrl }: Cluster): Promise<EffectSubscriber> {
  const { made } = await provision(adminUrl, { made: { database: NAME, login: { name: NAME, password: NAME } } });
  await using stack = new AsyncDisposableStack();
  const database = await openDatabase(made, { tables: [], migrations: [CreateEffects1764000000000] });
  stack.defer(() => database.close());
  const bus = stack.adopt(await openBus(natsUrl, 'bench'), (each) => each.close());
  let lags_ms: number[] = [];
  const log = new ServiceBroker({ logLevel: 'warn' }).logger;
  const parts = { bus, db: database, clock: () => new Date(), log };
  const subscriber = startSubscriber(parts, {
    durable: 'bench-effects',
    type: 'contribution.paid',
    async handle({ data: { contribution_id, amount_minor }, time }, tx) {
      await tx.run('INSERT INTO effects (contribution_id, amount_minor) VALUES ($1, $2)', [
        contribution_id,
        amount_minor,
      ]);
      tx.afterCommit(() => lags_ms.push(Date.now() - Date.parse(time)));
    },
  });
  stack.defer(() => subscriber.stop());
  const running = stack.move();
  return {
    takeLags() {
      const taken = lags_ms;
      lags_ms = [];
      return taken;
    },
    stop: () => running.disposeAsync(),
  };
}
