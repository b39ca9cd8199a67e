import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { Loggers } from 'moleculer';
import type { NatsConnection } from 'nats';
import { brokerOptions, DRAIN_TIMEOUT_MS } from '../../../moleculer.config.ts';
import { loadSettings, type Settings } from '../../../lib/config/settings.ts';
import { StartupError } from '../../../lib/config/startup-error.ts';
import { migrate } from '../../../lib/db/migrate.ts';
import { startNode, type ServiceFactory } from '../../../lib/node/node.ts';
import type { Runtime } from '../../../lib/node/runtime.ts';
import { treasuryDatabase } from '../../../services/treasury/database.ts';
import { treasuryService } from '../../../services/treasury/treasury.service.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/databases.ts';
import { eventually } from '../../harness/eventually.ts';
import { callOfNode, transporterOf } from '../../harness/light-node.ts';
import { outcomeOf, outcomesOf, startRefusalOf } from '../../harness/refusal.ts';
import { QUICK_PROBES, testRuntime } from '../../harness/runtime.ts';
import { adminUrl, natsUrl, withClient } from '../../harness/servers.ts';
import { openTcpProxy } from '../../harness/tcp-proxy.ts';

/** Much longer than the two failed probes after which a database counts as unavailable. */
const DATABASE_GIVEN_UP_MS = 1_000;

/** Docker kills a container 10 s after the request to stop; lib/node/run.ts exits a little earlier. */
const STOPPED_WITHIN_MS = 9_500;
/** How long a stop waits for calls in flight in these tests, and the most that the rest of the stop may take. */
const DRAIN_MS = 2_000;
const REST_MS = 1_500;

/** Less than a node that stops waits for the others. */
const BUSY_MS = 400;

describe('a node', function () {
  this.timeout(30_000);
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase('treasury', (made) => migrate(made, treasuryDatabase.migrations));
  });
  after(() => database.release());

  const settings = loadSettings({ LOG_LEVEL: 'fatal' });

  /** Starts a node on the database at `url`. */
  function start(
    services: ServiceFactory<Runtime>[],
    changed: Partial<Settings> = {},
    url = database.url,
    logger?: Loggers.Base<object>,
  ) {
    const own = { ...settings, ...changed };
    const runtime = testRuntime({ treasury: { ...database, url } }, { settings: own, probeTimings: QUICK_PROBES });
    const tracking = { enabled: true, shutdownTimeout: DRAIN_MS };
    const broker = { ...brokerOptions(own, natsUrl()), tracking, ...(logger === undefined ? {} : { logger }) };
    return startNode({ services, runtime, broker, drain_delay_ms: own.drainDelayS * 1_000 });
  }

  const never = () => new Promise(() => undefined);

  /** Counts the connections to the database. */
  async function connections(): Promise<number> {
    const name = new URL(database.url).pathname.slice(1);
    const text = 'SELECT FROM pg_stat_activity WHERE datname = $1';
    return withClient(adminUrl(), async (admin) => (await admin.query(text, [name])).rowCount ?? 0);
  }

  it('closes all connections when one of its services cannot be created', async () => {
    const made = Promise.withResolvers<void>();
    const first = async (given: Runtime) => {
      const schema = await treasuryService(given);
      made.resolve();
      return schema;
    };
    const second = async () => {
      await made.promise;
      throw new StartupError('The other service needs what is not there.');
    };
    expect(await startRefusalOf(start([first, second]))).to.equal('The other service needs what is not there.');
    // Within less than the 10 s after which idle connections are closed anyway.
    await eventually(async () => expect(await connections()).to.equal(0), 5_000);
  });

  it('does not start if a database becomes unavailable after it was opened', async () => {
    const way = await openTcpProxy(database.url);
    const losing: ServiceFactory<Runtime> = async (own) => {
      const schema = await treasuryService(own);
      way.cut();
      await sleep(DATABASE_GIVEN_UP_MS);
      return schema;
    };
    expect(await startRefusalOf(start([losing], {}, way.url))).to.match(/^treasury: the database cannot be used: ./);
  });

  it('stops before it would be killed after 10 s, even if calls in both directions hang', async () => {
    const [one, other] = await Promise.all(
      ['one', 'other'].map((name) =>
        start([() => ({ name, actions: { hang: never } })], { drainDelayS: 20, nodeId: name }),
      ),
    );
    await one!.broker.waitForServices('other');
    await other!.broker.waitForServices('one');
    const calls = [one!.broker.call('other.hang'), other!.broker.call('one.hang')];
    for (const each of calls) each.catch(() => undefined);
    const begun_ms = performance.now();
    await one!.stop();
    expect(performance.now() - begun_ms).to.be.below(DRAIN_MS + REST_MS);
    expect(DRAIN_TIMEOUT_MS + REST_MS).to.be.below(STOPPED_WITHIN_MS);
    await other!.stop();
  });

  it('is called as soon as it has started', async () => {
    const caller = await start([], { nodeId: 'caller' });
    const callee = await start([() => ({ name: 'work', actions: { add: () => 3 } })], { nodeId: 'callee' });
    const client = transporterOf(caller.broker).client as NatsConnection;
    // The caller has received what NATS had when the callee's start ended.
    await client.flush();
    expect(await caller.broker.call('work.add')).to.equal(3);
    await Promise.all([caller.stop(), callee.stop()]);
  });

  it('finishes its calls when it stops, and is not reached by calls of nodes that chose it before', async () => {
    const begun = Promise.withResolvers<void>();
    const held = Promise.withResolvers<string>();
    const hold = () => {
      begun.resolve();
      return held.promise;
    };
    const [callee, caller] = await Promise.all([
      start([() => ({ name: 'work', actions: { add: () => 3, hold } })], { nodeId: 'callee' }),
      start([], { nodeId: 'caller' }),
    ]);
    // As in production: on a busy machine, this test takes longer than the others allow.
    callee.broker.options.tracking = { enabled: true, shutdownTimeout: DRAIN_TIMEOUT_MS };
    const { broker } = caller;
    await broker.waitForServices('work');
    const add = callOfNode(broker, 'work.add', 'callee');
    const holding = broker.call('work.hold');
    await begun.promise;
    const stopped = callee.stop();
    const outcomes = new Set<string>();
    await eventually(async () => {
      outcomes.add(await outcomeOf(add({})));
      expect(outcomes).to.include('SERVICE_NOT_AVAILABLE');
    });
    held.resolve('held');
    expect(await holding).to.equal('held');
    expect([...outcomes]).to.deep.equal(['done', 'SERVICE_NOT_AVAILABLE']);
    await stopped;
    await caller.stop();
  });

  it('accepts the calls of a busy node until that knows that it stops', async () => {
    const [caller, callee] = await Promise.all([
      start([], { nodeId: 'caller' }),
      start([() => ({ name: 'work', actions: { add: () => 3 } })], { nodeId: 'callee' }),
    ]);
    await caller.broker.waitForServices('work');
    const tx = transporterOf(caller.broker);
    const receive = tx.receive.bind(tx);
    const waiting: Parameters<typeof receive>[] = [];
    tx.receive = (...message) => {
      waiting.push(message);
      return Promise.resolve();
    };
    const stopped = callee.stop();
    await sleep(BUSY_MS);
    const called = caller.broker.call('work.add');
    await tx.flush();
    tx.receive = receive;
    for (const message of waiting) await receive(...message);
    expect(await called).to.equal(3);
    await stopped;
    await caller.stop();
  });

  it('stops without waiting for calls that have timed out', async () => {
    const written: unknown[] = [];
    class Recorder extends Loggers.Base<object> {
      override getLogHandler() {
        return (level: string, [text]: unknown[]) => {
          if (['error', 'fatal'].includes(level) || String(text).includes('running context')) written.push(text);
        };
      }
    }
    const [caller, callee] = await Promise.all(
      [{ name: 'calling' }, { name: 'hanging', actions: { hang: never } }].map((schema) =>
        start([() => schema], { nodeId: schema.name }, undefined, new Recorder()),
      ),
    );
    await caller!.broker.waitForServices('hanging');
    const calls = Array.from({ length: 312 }, () => caller!.broker.call('hanging.hang', {}, { timeout: 50 }));
    expect(new Set(await outcomesOf(calls))).to.deep.equal(new Set(['REQUEST_TIMEOUT']));
    // The callee stops tracking a call a little later than the caller; this call makes sure that it has.
    await callee!.broker.call('hanging.hang', {}, { timeout: 50 }).catch(() => undefined);
    await Promise.all([caller!.stop(), callee!.stop()]);
    // Moleculer logs the calls that are still running when it has waited too long.
    expect(written).to.deep.equal([]);
  });
});
