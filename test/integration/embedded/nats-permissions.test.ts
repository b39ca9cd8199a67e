import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { ServiceBroker, type Context } from 'moleculer';
import { AckPolicy, connect, Events, type NatsConnection } from 'nats';
import { brokerOptions } from '../../../moleculer.config.ts';
import { natsConnectOptions } from '../../../lib/config/server-urls.ts';
import { ALL_SERVICES, isFurtherService, OPERATOR, type AnyService } from '../../../lib/config/service-names.ts';
import { loadSettings } from '../../../lib/config/settings.ts';
import { CALLS } from '../../../lib/contracts/calls.ts';
import { CONSUMERS, KEEPER, PUBLISHERS, STREAM, subjectOf, type EventType } from '../../../lib/contracts/events.ts';
import { refuseForeignLogin } from '../../../lib/embedded/probe.ts';
import { ensureStream, keepStream, openBus } from '../../../lib/events/stream.ts';
import type { OtherService } from '../../../lib/transport/nats-permissions.ts';
import { runInTurn } from '../../../lib/service/recurring-job.ts';
import { startDeployedNats, writeNatsPasswords, type TestNats } from '../../harness/nats.ts';
import { eventually } from '../../harness/eventually.ts';
import { ROOT } from '../../harness/process.ts';
import { startRefusalOf } from '../../harness/refusal.ts';

const PASSWORD = `p/@ #:%?"'\\$x`;
const TYPES = Object.keys(PUBLISHERS) as EventType[];
const FURTHER = JSON.parse(readFileSync(join(ROOT, 'deploy', 'nats', 'other-services.json'), 'utf8')) as OtherService[];
const DURABLES = [...Object.keys(CONSUMERS), ...FURTHER.flatMap(({ consumers = {} }) => Object.keys(consumers))];

/** Returns the services that this one calls, as the contracts and other-services.json have it. */
function callsOf(service: AnyService): string[] {
  const own = isFurtherService(service) ? FURTHER.find(({ name }) => name === service)?.calls : CALLS[service];
  const further = FURTHER.filter(({ called_by = [] }) => called_by.includes(service));
  return [...(own ?? []), ...further.map(({ name }) => name)];
}

/** What each login may do on the server of deploy/nats. Every answer here is the server's. */
describe('the logins of deploy/nats/permissions.conf', function () {
  this.timeout(60_000);
  let dir: string;
  let nats: TestNats;
  const connections = new Map<string, Promise<NatsConnection>>();
  const brokers: ServiceBroker[] = [];
  /** What the server has refused, as `publish <subject>`. */
  const refused = new Set<string>();
  let sent = 0;
  let nodes = 0;

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'association-permissions-'));
    await writeNatsPasswords(dir, PASSWORD);
    nats = await startDeployedNats(dir);
    const bus = await openBus(settingsOf(OPERATOR).natsUrl ?? '', 'test');
    await bus.close();
  });
  after(async () => {
    await Promise.all(brokers.map((broker) => broker.stop()));
    for (const connection of connections.values()) await (await connection).close();
    await nats.stop();
    await rm(dir, { recursive: true, force: true });
  });

  function settingsOf(login: string) {
    const NODE_ID = `host.example-${String((nodes += 1))}`;
    const env = { NODE_ID, NATS_URL: `127.0.0.1:${String(nats.port)}`, NATS_PASSWORD: PASSWORD, LOG_LEVEL: 'fatal' };
    return loadSettings(env, login);
  }

  /** Connects as this login does. */
  function as(login: string): Promise<NatsConnection> {
    const open = async () => {
      const connection = await connect(natsConnectOptions(settingsOf(login).natsUrl ?? ''));
      void (async () => {
        for await (const { type, permissionContext } of connection.status()) {
          if ((type as Events) === Events.Error && permissionContext !== undefined)
            refused.add(`${login} ${permissionContext.operation} ${permissionContext.subject}`);
        }
      })();
      return connection;
    };
    const made = connections.get(login) ?? open();
    connections.set(login, made);
    return made;
  }

  /** Returns the subjects of these that the server does not let the login publish. */
  async function unpublishable(login: string, subjects: readonly string[]): Promise<string[]> {
    const connection = await as(login);
    // The last one is refused to every login: when its refusal is known, so are the others.
    const last = `forbidden.${String((sent += 1))}`;
    for (const subject of [...subjects, last]) connection.publish(subject);
    await eventually(() => expect(refused).to.include(`${login} publish ${last}`));
    return subjects.filter((subject) => refused.has(`${login} publish ${subject}`));
  }

  /** Returns the subjects of these that the server does not let the login subscribe. */
  async function unreadable(login: string, subjects: readonly string[]): Promise<string[]> {
    const connection = await as(login);
    const refusals: string[] = [];
    const subscriptions = subjects.map((subject) =>
      connection.subscribe(subject, { callback: (error) => void (error !== null && refusals.push(subject)) }),
    );
    await connection.flush();
    for (const subscription of subscriptions) subscription.unsubscribe();
    return refusals;
  }

  for (const login of ALL_SERVICES) {
    const others = ALL_SERVICES.filter((each) => each !== login);

    it(`${login} publishes its own types of events, and no others`, async () => {
      const own = TYPES.filter((type) => PUBLISHERS[type] === login).map((type) => subjectOf('a', type));
      const forged = TYPES.filter((type) => PUBLISHERS[type] !== login).map((type) => subjectOf('a', type));
      expect(await unpublishable(login, own)).to.deep.equal([]);
      expect(await unpublishable(login, [...forged, 'ledger.v1.a.other', 'ledger.v2.a'])).to.have.members([
        ...forged,
        'ledger.v1.a.other',
        'ledger.v2.a',
      ]);
    });

    it(`${login} sends requests to the services that it calls, and to no others`, async () => {
      const calls = callsOf(login);
      expect(calls).not.to.be.empty;
      const to = (service: string) => `MOL.REQ.${service}.host.example-1`;
      const pings = calls.map((service) => `MOL.PING.${service}.host.example-1`);
      expect(await unpublishable(login, [...calls.map(to), ...pings])).to.deep.equal([]);
      const foreign = [
        ...[...ALL_SERVICES.filter((each) => !calls.includes(each)), 'association', 'operator'].map(to),
        ...['$SYS.REQ.SERVER.PING', '$SYS.REQ.ACCOUNT.PING.CONNZ', '$SYS.REQ.USER.INFO'],
        ...others.map((service) => `outbox.wake.${service}`),
        ...others.map((service) => `_INBOX.${service}.x`),
      ];
      expect(await unpublishable(login, foreign)).to.deep.equal(foreign);
    });

    it(`${login} reads its own requests and answers, and those of no other service`, async () => {
      const of = (service: string) =>
        [`MOL.REQ.${service}`, `MOL.RES.${service}`, `_INBOX.${service}`].flatMap((s) => [`${s}.>`, `${s}.host-1`]);
      expect(await unreadable(login, of(login))).to.deep.equal([]);
      const foreign = [
        ...[...others, 'association', OPERATOR].flatMap(of),
        ...['MOL.REQ.*.>', 'MOL.RES.>', 'MOL.>', '_INBOX.>', '_INBOX.*.>', '>', '$SYS.>', '$JS.>', '$JS.ACK.>'],
      ];
      expect(await unreadable(login, foreign)).to.deep.equal(foreign);
      const events = ['ledger.v1.>', ...others.map((service) => `outbox.wake.${service}`)];
      expect(await unreadable(login, events)).to.deep.equal(events);
    });

    it(`${login} uses its own consumers of ${STREAM} only, and deletes neither stream nor consumers`, async () => {
      const mine = DURABLES.filter((durable) => durable.startsWith(`${login}-`));
      const foreign = DURABLES.filter((durable) => !mine.includes(durable));
      const requests = (durable: string) => [
        `$JS.API.CONSUMER.CREATE.${STREAM}.${durable}.ledger.v1.*.member.left`,
        `$JS.API.CONSUMER.MSG.NEXT.${STREAM}.${durable}`,
        `$JS.ACK.${STREAM}.${durable}.1.1.1.1.1`,
      ];
      expect(await unpublishable(login, mine.flatMap(requests))).to.deep.equal([]);
      const all = [
        ...foreign.flatMap(requests),
        ...mine.map((durable) => `$JS.API.CONSUMER.DELETE.${STREAM}.${durable}`),
        `$JS.API.CONSUMER.CREATE.${STREAM}`,
        `$JS.API.STREAM.DELETE.${STREAM}`,
        `$JS.API.STREAM.PURGE.${STREAM}`,
        '$JS.API.STREAM.CREATE.OTHER',
        '$JS.API.STREAM.UPDATE.OTHER',
        `$JS.API.STREAM.RESTORE.${STREAM}`,
        `$JS.API.STREAM.SNAPSHOT.${STREAM}`,
        '$JS.API.STREAM.LIST',
        `$JS.API.CONSUMER.LIST.${STREAM}`,
        `$JS.API.DIRECT.GET.${STREAM}`,
        '$JS.API.ACCOUNT.PURGE.x',
      ];
      expect(await unpublishable(login, all)).to.have.members(all);
    });
  }

  it(`only ${KEEPER} creates the stream and changes its settings`, async () => {
    const requests = ['CREATE', 'UPDATE'].map((request) => `$JS.API.STREAM.${request}.${STREAM}`);
    for (const login of ALL_SERVICES) {
      expect(await unpublishable(login, requests)).to.deep.equal(login === KEEPER ? [] : requests);
    }
  });

  it(`other services wait until ${KEEPER} has created the stream, also after its loss`, async () => {
    const operator = await openBus(settingsOf(OPERATOR).natsUrl ?? '', 'test');
    await operator.manager.streams.delete(STREAM);
    const waiting = openBus(settingsOf('governance').natsUrl ?? '', 'test');
    const first = await Promise.race([waiting.then(() => 'opened'), delay(1_000, 'waits')]);
    expect(first).to.equal('waits');
    const treasury = await openBus(settingsOf(KEEPER).natsUrl ?? '', 'test');
    const governance = await waiting;
    await operator.manager.streams.delete(STREAM);
    expect(await ensureStream(governance).catch((error: Error) => error.message)).to.match(
      /^the stream LEDGER does not exist: treasury /,
    );
    await runInTurn([keepStream(treasury)]);
    await ensureStream(governance);
    for (const bus of [operator, treasury, governance]) await bus.close();
  });

  it('the operator publishes all events, and calls no action', async () => {
    const events = TYPES.map((type) => subjectOf('a', type));
    expect(await unpublishable(OPERATOR, events)).to.deep.equal([]);
    const requests = ALL_SERVICES.map((service) => `MOL.REQ.${service}.host-1`);
    expect(await unpublishable(OPERATOR, requests)).to.deep.equal(requests);
    expect(await unreadable(OPERATOR, ['MOL.INFO', 'MOL.INFO.operator.top-1'])).to.deep.equal([]);
    const moleculer = ['MOL.>', 'MOL.REQ.treasury.>', 'MOL.RES.treasury.>'];
    expect(await unreadable(OPERATOR, moleculer)).to.deep.equal(moleculer);
  });

  it('webhooks tells users through reminders, which gets no call of its own answered by webhooks', async () => {
    const answer = (to: string) => [`MOL.RES.${to}.host.example-1`, `MOL.PONG.${to}.host.example-1`];
    expect(await unpublishable('reminders', [...answer('webhooks'), ...answer('gateway')])).to.deep.equal([]);
    expect(await unpublishable('webhooks', answer('gateway'))).to.deep.equal([]);
    expect(await unpublishable('webhooks', answer('reminders'))).to.deep.equal(answer('reminders'));
    for (const login of ['webhooks', 'reminders'])
      expect(await unpublishable('treasury', answer(login)), login).to.deep.equal(answer(login));
  });

  it("a forged event does not reach the stream, while the publisher's own does", async () => {
    const subject = subjectOf('a', 'transfer.posted');
    const forging = await openBus(settingsOf('governance').natsUrl ?? '', 'test');
    const outcome = await forging.jetstream.publish(subject, '{}', { timeout: 1_000 }).catch((error: Error) => error);
    expect(outcome).to.be.instanceOf(Error);
    await forging.close();
    const own = await openBus(settingsOf('treasury').natsUrl ?? '', 'test');
    const { seq } = await own.jetstream.publish(subject, '{"own":true}');
    expect((await own.manager.streams.getMessage(STREAM, { seq })).json()).to.deep.equal({ own: true });
    await own.close();
  });

  it('a service makes its own consumer, and not that of another', async () => {
    const bus = await openBus(settingsOf('membership').natsUrl ?? '', 'test');
    const add = (durable_name: string) =>
      bus.manager.consumers.add(STREAM, {
        durable_name,
        filter_subject: 'ledger.v1.*.cycle.completed',
        ack_policy: AckPolicy.Explicit,
      });
    expect((await add('membership-cycle-completed')).name).to.equal('membership-cycle-completed');
    expect(await add('governance-member-left').catch((error: Error) => error)).to.be.instanceOf(Error);
    await bus.close();
  });

  /** Starts a node with this login that offers these actions, each of which answers `<node's login> <user>`. */
  async function startNode(login: string, actions: string[], service = actions[0]?.split('.')[0] ?? login) {
    const settings = settingsOf(login);
    const broker = new ServiceBroker({ ...brokerOptions(settings, settings.natsUrl ?? ''), requestTimeout: 2_000 });
    const answer = (ctx: Context<{ user: string }>) => `${login} ${ctx.params.user}`;
    const handlers = Object.fromEntries(actions.map((action) => [action.split('.').slice(1).join('.'), answer]));
    if (actions.length > 0) broker.createService({ name: service, actions: handlers });
    brokers.push(broker);
    await broker.start();
    return broker;
  }

  it('calls between nodes work between services that may call one another, and otherwise not', async () => {
    const [treasury, contribution, gateway] = await Promise.all([
      startNode('treasury', ['treasury.transfer']),
      startNode('contribution', ['contribution.takeCash']),
      startNode('gateway', ['gateway.steal']),
    ]);
    const call = (from: ServiceBroker, action: string) => from.call(action, { user: 'u' });
    await contribution.waitForServices(['treasury', 'gateway'], 5_000);
    await Promise.all([treasury.waitForServices('contribution', 5_000), gateway.waitForServices('treasury', 5_000)]);
    expect(await call(contribution, 'treasury.transfer')).to.equal('treasury u');
    expect(await call(treasury, 'contribution.takeCash')).to.equal('contribution u');
    expect(await call(gateway, 'treasury.transfer')).to.equal('treasury u');
    const forbidden = await call(contribution, 'gateway.steal').catch((error: Error) => error.name);
    expect(forbidden).to.match(/RequestTimeoutError|ServiceNotAvailableError/);
  });

  it('a node that offers the actions of another service gets no calls to them', async () => {
    const forger = await startNode('governance', ['membership.authorize']);
    const gateway = await startNode('gateway', []);
    await startNode('governance', ['governance.vote']);
    await gateway.waitForServices('governance', 5_000);
    expect(forger.getLocalService('membership')).not.to.equal(undefined);
    expect(gateway.registry.getActionEndpoints('membership.authorize')).to.equal(undefined);
    expect(gateway.registry.nodes.get(forger.nodeID)?.available).to.equal(true);
    const membership = await startNode('membership', ['membership.authorize']);
    await gateway.waitForServices('membership', 5_000);
    for (let n = 0; n < 10; n += 1)
      expect(await gateway.call('membership.authorize', { user: 'u' })).to.equal('membership u');
    await membership.stop();
    await eventually(() => expect(gateway.registry.getActionEndpoints('membership.authorize')?.count()).to.equal(0));
  });

  it("a process does not start with another service's login", async () => {
    const natsUrl = settingsOf('treasury').natsUrl ?? '';
    await refuseForeignLogin(natsUrl, 'treasury.host-1');
    expect(await startRefusalOf(refuseForeignLogin(natsUrl, 'gateway.host-1'))).to.equal(
      'NATS does not let this login receive the requests of gateway: set NATS_USER and NATS_PASSWORD to those of gateway.',
    );
  });
});
