import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { STREAM, subjectOf, type EventType } from '../../lib/contracts/events.ts';
import { probeNats } from '../../lib/embedded/probe.ts';
import { openBus } from '../../lib/events/stream.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { foundGroup } from '../harness/group.ts';
import type { TestMember } from '../harness/test-member.ts';
import type { HttpAnswer, Json } from '../harness/http.ts';
import { startNatsCluster, urlOf, type TestNats } from '../harness/nats.ts';

/** Time within which every process serves again (docs/running.md). */
const BACK_WITHIN_MS = 10_000;
/** Time for which the processes are observed after that. */
const WATCHED_MS = 5_000;
const EVERY_MS = 250;
const PAYMENTS = (BACK_WITHIN_MS + WATCHED_MS) / EVERY_MS;

describe('a NATS cluster of three with one server that hangs', function () {
  this.timeout(120_000);
  let servers: TestNats[] = [];
  let hung: TestNats | undefined;
  let cluster: Cluster | undefined;

  before(async () => {
    servers = await startNatsCluster();
  });
  after(async () => {
    for (const server of servers) server.thaw();
    await cluster?.stop();
    await Promise.all(servers.map((server) => server.stop()));
  });

  async function connectionsOf({ monitoringPort }: TestNats): Promise<number> {
    const answer = await fetch(`http://127.0.0.1:${String(monitoringPort)}/connz`);
    return ((await answer.json()) as { num_connections: number }).num_connections;
  }

  /** Returns the number of events of this type of the association in the stream. */
  async function inStream(association_id: string, type: EventType): Promise<number> {
    const bus = await openBus(urlOf(servers.filter((server) => server !== hung)), 'hung-nats-test', { replicas: 3 });
    const subject = subjectOf(association_id, type);
    try {
      const { state } = await bus.manager.streams.info(STREAM, { subjects_filter: subject });
      return state.subjects?.[subject] ?? 0;
    } finally {
      await bus.close();
    }
  }

  it('is waited for by a process that starts before the stream has a leader', async () => {
    await probeNats('NATS_URL', urlOf(servers));
  });

  it('stops no process for more than 10 s; each payment is made and published once', async () => {
    cluster = await startCluster({ settings: { NATS_URL: urlOf(servers), EVENTS_REPLICAS: '3' } });
    const group = await foundGroup(cluster, { size: 2, funding: 1_000 });
    const [president] = group.members as [TestMember];
    const { http, wallet_id } = president;
    const meeting = await http.created(`${group.path}/meetings`, {});
    const path = `${group.path}/meetings/${meeting.id as string}`;
    const pins = await Promise.all(Array.from({ length: PAYMENTS }, () => http.sealedPin()));

    const counts = await Promise.all(servers.map(connectionsOf));
    hung = servers[counts.indexOf(Math.max(...counts))];
    hung?.freeze();
    const began_ms = performance.now();
    const late: HttpAnswer[] = [];
    const all: Promise<void>[] = [];
    for (const pin of pins) {
      const isLate = performance.now() - began_ms > BACK_WITHIN_MS;
      const sent = [
        http.post(`${path}/contribute`, { wallet_id, amount: 1, pin }),
        http.get(`${group.path}/governance/approvals`),
      ];
      all.push(...sent.map(async (answer) => void (isLate ? late.push(await answer) : await answer)));
      await sleep(EVERY_MS);
    }
    await Promise.all(all);
    expect(late.length).to.be.greaterThan(0);
    expect(late.map(({ status }) => status).filter((status) => status >= 300)).to.deep.equal([]);

    const { data } = await http.ok(`${path}/contributions?limit=200`);
    const paid = (data as Json[]).filter(({ status }) => status === 'paid').map(({ id }) => id);
    const { balance } = await http.ok(`/wallets/${wallet_id}`);
    expect(balance).to.equal(1_000 - paid.length);
    await eventually(async () => expect(await inStream(group.id, 'contribution.paid')).to.equal(paid.length));
  });
});
