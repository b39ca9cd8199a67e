import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { databaseUrlVariable, SERVICES } from '../../lib/config/service-names.ts';
import type { TableService } from '../../lib/config/service-names.ts';
import { defaultDatabaseName, withDatabase } from '../../lib/embedded/provision.ts';
import { startCluster } from '../harness/cluster.ts';
import type { Cluster, Member } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { foundGroup } from '../harness/group.ts';
import type { TestGroup } from '../harness/group.ts';
import type { HttpAnswer, Json } from '../harness/http.ts';
import { openTcpProxy } from '../harness/tcp-proxy.ts';
import type { TcpProxy } from '../harness/tcp-proxy.ts';
import { expectValidLedger } from '../harness/verified-ledger.ts';

const FUNDING = 1_000_000;
const AMOUNT = 10;
const GROUPS = 6;
/** Between two requests of one group. */
const PACE_MS = 250;
/** The gateway gives an answer within 10 s; the rest is for a machine that is busy. */
const DEADLINE_MS = 13_000;
/** A hung database is noticed in some 5 s, and what was sent until then is answered 5 s later. */
const NOTICED_MS = 10_000;

interface Answered {
  began_ms: number;
  took_ms: number;
  status: number;
}

/** A group of one member, and the meeting that they pay into. */
interface Payer extends TestGroup {
  kitty: string;
}

/** Several instances of one service, the first of them with a link to its database that can fail. */
class Instances {
  readonly cluster: Cluster;
  readonly proxy: TcpProxy;
  readonly doomed: Member;
  readonly others: Member[];
  readonly payers: Payer[];

  private constructor(cluster: Cluster, proxy: TcpProxy, members: Member[], payers: Payer[]) {
    [this.cluster, this.proxy, this.payers] = [cluster, proxy, payers];
    [this.doomed, ...this.others] = members as [Member, ...Member[]];
  }

  static async start(service: TableService, count: number): Promise<Instances> {
    const cluster = await startCluster({ processes: [SERVICES.filter((name) => name !== service), [service]] });
    const proxy = await openTcpProxy(withDatabase(cluster.adminUrl, defaultDatabaseName(service)));
    const first = cluster.members().find(({ services }) => services.includes(service))!;
    const settings = { [databaseUrlVariable(service)]: proxy.url };
    const more = [await cluster.start([service], { settings })];
    for (let index = 2; index < count; index += 1) more.push(await cluster.start([service]));
    const payers = await Promise.all(Array.from({ length: GROUPS }, () => payer(cluster)));
    return new Instances(cluster, proxy, [...more, first], payers);
  }

  /** Sends one request after the other for each group until the given time. */
  async load(until_ms: number, send: (payer: Payer) => Promise<HttpAnswer>): Promise<Answered[]> {
    const answers: Answered[] = [];
    const each = this.payers.map(async (payer) => {
      while (performance.now() < until_ms) {
        const began_ms = performance.now();
        const { status } = await send(payer);
        answers.push({ began_ms, took_ms: performance.now() - began_ms, status });
        await sleep(PACE_MS);
      }
    });
    await Promise.all(each);
    return answers;
  }

  /** What `/health/ready` says, again and again until the given time. */
  async readiness(until_ms: number): Promise<number[]> {
    const statuses: number[] = [];
    while (performance.now() < until_ms) {
      statuses.push((await fetch(`${this.cluster.origin}/health/ready`)).status);
      await sleep(100);
    }
    return statuses;
  }

  /** All contributions are decided, and just the paid ones have moved money. */
  async expectMoneyRight(paid_at_least: number): Promise<void> {
    let paid = 0;
    for (const payer of this.payers) {
      const { kitty, path, members } = payer;
      const [{ http, wallet_id }] = members as [TestGroup['members'][0]];
      await eventually(async () => expect(await statuses(payer)).to.not.include('pending'), 60_000);
      const own = (await statuses(payer)).filter((status) => status === 'paid').length;
      expect((await http.ok(kitty)).collected_amount).to.equal(own * AMOUNT);
      expect((await http.ok(`/wallets/${wallet_id}`)).balance).to.equal(FUNDING - own * AMOUNT);
      await expectValidLedger(http, path);
      paid += own;
    }
    expect(paid).to.be.at.least(paid_at_least);
  }

  async stop(): Promise<void> {
    this.proxy.cut();
    await this.cluster.stop();
  }
}

async function payer(cluster: Cluster): Promise<Payer> {
  const group = await foundGroup(cluster, { size: 1, funding: FUNDING });
  const meeting = await group.members[0]!.http.created(`${group.path}/meetings`, { title: 'Kitty' });
  return { ...group, kitty: `${group.path}/meetings/${meeting.id as string}` };
}

async function statuses({ members, kitty }: Payer): Promise<unknown[]> {
  const found: unknown[] = [];
  for (let cursor: unknown = ''; typeof cursor === 'string';) {
    const page = await members[0]!.http.ok(`${kitty}/contributions?limit=200${cursor && `&cursor=${cursor}`}`);
    found.push(...(page.data as Json[]).map(({ status }) => status));
    cursor = page.next_cursor;
  }
  return found;
}

async function pay({ members, kitty }: Payer): Promise<HttpAnswer> {
  const [{ http, wallet_id }] = members as [TestGroup['members'][0]];
  const pin = await http.get('/keys/pin').then((keys) => (keys.status === 200 ? http.sealedPin() : undefined));
  return http.post(`${kitty}/contribute`, { wallet_id, amount: AMOUNT, pin });
}

function summary(answers: Answered[]): string {
  const of = (status: number) => answers.filter((each) => each.status === status).length;
  const slowest_ms = Math.max(...answers.map(({ took_ms }) => took_ms));
  return `${String(answers.length)} requests: ${[200, 201, 202, 503].map((each) => `${String(of(each))}x${String(each)}`).join(', ')}; slowest ${slowest_ms.toFixed(0)} ms`;
}

for (const service of ['treasury', 'membership'] as const) {
  describe(`one of three instances of ${service}`, function () {
    this.timeout(300_000);
    let instances: Instances;

    before(async () => (instances = await Instances.start(service, 3)));
    after(() => instances.stop());

    for (const fault of ['cut', 'freeze'] as const) {
      it(`takes no calls while its database is ${fault === 'cut' ? 'away' : 'hung'}, and does again after that`, async () => {
        const { proxy, doomed } = instances;
        const began_ms = performance.now();
        const fault_ms = began_ms + 3_000;
        const end_ms = fault_ms + NOTICED_MS + 6_000;
        const faulty = sleep(fault_ms - began_ms).then(() => proxy[fault]());
        const [answers, readiness] = await Promise.all([
          instances.load(end_ms, pay),
          instances.readiness(end_ms),
          faulty,
        ]);
        const seen = summary(answers);
        expect(
          answers.map(({ status }) => status),
          seen,
        ).to.satisfy((all: number[]) => all.every((status) => [201, 202, 503].includes(status)));
        expect(Math.max(...answers.map(({ took_ms }) => took_ms)), seen).to.be.at.most(DEADLINE_MS);
        const noticed = answers.filter((each) => each.began_ms > fault_ms + NOTICED_MS);
        expect(noticed, seen).to.have.length.at.least(GROUPS);
        expect(
          noticed.filter(({ status }) => status !== 201),
          seen,
        ).to.deep.equal([]);
        expect(
          readiness.filter((status) => status !== 200),
          seen,
        ).to.deep.equal([]);

        const said = doomed.output().length;
        await proxy.restore();
        await eventually(() => expect(doomed.output().slice(said)).to.contain('calls are taken'));
        await instances.expectMoneyRight(answers.filter(({ status }) => status === 201).length);
      });
    }

    it('serves alone once the others are gone', async () => {
      await Promise.all(instances.others.map((other) => other.end()));
      await instances.cluster.ready();
      const answers = await instances.load(performance.now() + 2_000, pay);
      expect(answers.map(({ status }) => status)).to.satisfy((all: number[]) => all.every((status) => status === 201));
    });
  });
}

describe('one of two nodes that is killed', function () {
  this.timeout(120_000);
  let cluster: Cluster;
  let payers: Payer[];

  before(async () => {
    cluster = await startCluster({
      processes: [
        ['gateway', 'contribution', 'governance'],
        ['membership', 'treasury'],
      ],
    });
    payers = [await payer(cluster), await payer(cluster)];
  });
  after(() => cluster.stop());

  it('fails no read', async () => {
    const doomed = await cluster.start(['membership', 'treasury']);
    await cluster.ready();
    const answers: Answered[] = [];
    const end_ms = performance.now() + 6_000;
    const reads = Array.from({ length: 8 }, async (_, index) => {
      const { members, path } = payers[index % payers.length]!;
      while (performance.now() < end_ms) {
        const began_ms = performance.now();
        const { status } = await members[0]!.http.get(`${path}/balances`);
        answers.push({ began_ms, took_ms: performance.now() - began_ms, status });
      }
    });
    await Promise.all([...reads, sleep(1_500).then(() => doomed.end('SIGKILL'))]);
    expect(new Set(answers.map(({ status }) => status)), summary(answers)).to.deep.equal(new Set([200]));
  });
});
