import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { TableService } from '../../lib/config/service-names.ts';
import type { ProbeTimings } from '../../lib/db/prober.ts';
import { defaultDatabaseName } from '../../lib/embedded/provision.ts';
import { withDatabase } from '../../lib/config/server-urls.ts';
import { startCluster, type Cluster, type Member } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { foundGroup } from '../harness/group.ts';
import type { TestMember } from '../harness/test-member.ts';
import type { HttpAnswer, Json } from '../harness/http.ts';
import { ask, contribute, openedMeeting } from '../harness/requests.ts';
import { openTcpProxy, type TcpProxy } from '../harness/tcp-proxy.ts';
import { expectValidLedger } from '../harness/verified-ledger.ts';

const FUNDING = 1_000_000;
const AMOUNT = 10;
const GROUPS = 4;
/** Pause between two requests of a group. */
const PACE_MS = 400;
/** The gateway answers within 10 s; the rest is a margin for a busy machine. */
const DEADLINE_MS = 13_000;
/** Half of the usual times, which is still much longer than a statement takes on a busy machine. */
const PROBES: ProbeTimings = { every_ms: 250, again_after_ms: 50, timeout_ms: 1_000 };
/** Time after which two probes have failed and the other nodes have been notified. */
const NOTICED_MS = 2 * (PROBES.every_ms + PROBES.timeout_ms) + 1_500;
/** Time for which the load continues after that. */
const AFTER_MS = 3_000;

const DATABASE_STATES = { cut: 'unreachable', freeze: 'hanging' };
const SERVICES_LOST = ['treasury', 'membership'] as const;

interface Answered {
  began_ms: number;
  took_ms: number;
  status: number;
}

/** The only member of a group, and the meeting that they pay into. */
interface Payer {
  member: TestMember;
  kitty: string;
}

function summary(answers: Answered[]): string {
  const of = (status: number) => answers.filter((each) => each.status === status).length;
  const slowest_ms = Math.max(...answers.map(({ took_ms }) => took_ms));
  return `${String(answers.length)} requests: ${[200, 201, 202, 503].map((each) => `${String(of(each))}x${String(each)}`).join(', ')}; slowest ${slowest_ms.toFixed(0)} ms`;
}

describe('an instance of a service with three instances', function () {
  this.timeout(180_000);
  let cluster: Cluster;
  let payers: Payer[];
  /** The instances whose connections to their database can fail. */
  const doomed = new Map<TableService, { member: Member; proxy: TcpProxy }>();

  before(async () => {
    cluster = await startCluster({
      processes: [['gateway', 'contribution', 'governance'], ...SERVICES_LOST.flatMap((name) => [[name], [name]])],
      probeTimings: PROBES,
    });
    for (const service of SERVICES_LOST) {
      const proxy = await openTcpProxy(withDatabase(cluster.adminUrl, defaultDatabaseName(service)));
      const member = await cluster.start([service], {
        settings: { [`${service.toUpperCase()}_DATABASE_URL`]: proxy.url },
      });
      doomed.set(service, { member, proxy });
    }
    payers = await Promise.all(Array.from({ length: GROUPS }, newPayer));
  });
  after(async () => {
    for (const { proxy } of doomed.values()) proxy.cut();
    await cluster.stop();
  });

  async function newPayer(): Promise<Payer> {
    const [member] = (await foundGroup(cluster, { size: 1, funding: FUNDING })).members as [TestMember];
    return { member, kitty: await openedMeeting(member) };
  }

  /** Pays, unless membership is too unavailable to return the key for the PIN. */
  async function pay({ member, kitty }: Payer): Promise<HttpAnswer> {
    const keys = await member.http.get('/keys/pin');
    return keys.status === 200 ? ask(contribute(member, kitty, AMOUNT)) : keys;
  }

  async function timed(request: () => Promise<HttpAnswer>): Promise<Answered> {
    const began_ms = performance.now();
    const { status } = await request();
    return { began_ms, took_ms: performance.now() - began_ms, status };
  }

  /** Lets each group pay repeatedly until the given time. */
  async function load(until_ms: number): Promise<Answered[]> {
    const answers: Answered[] = [];
    const each = payers.map(async (payer) => {
      for (; performance.now() < until_ms; await sleep(PACE_MS)) answers.push(await timed(() => pay(payer)));
    });
    await Promise.all(each);
    return answers;
  }

  /** Requests `/health/ready` repeatedly until the given time. @returns the statuses */
  async function readiness(until_ms: number): Promise<number[]> {
    const statuses: number[] = [];
    for (; performance.now() < until_ms; await sleep(PACE_MS)) {
      statuses.push((await fetch(`${cluster.origin}/health/ready`)).status);
    }
    return statuses;
  }

  async function statuses({ member: { http, path }, kitty }: Payer): Promise<unknown[]> {
    const found: unknown[] = [];
    for (let cursor: unknown = ''; typeof cursor === 'string';) {
      const page = await http.ok(`${path}/meetings/${kitty}/contributions?limit=200${cursor && `&cursor=${cursor}`}`);
      found.push(...(page.data as Json[]).map(({ status }) => status));
      cursor = page.next_cursor;
    }
    return found;
  }

  /** Waits until all contributions are final; only the paid ones have moved money. @returns the number of paid ones */
  async function expectMoneyRight(): Promise<number> {
    let paid = 0;
    for (const payer of payers) {
      const { http, path, wallet_id } = payer.member;
      await eventually(async () => expect(await statuses(payer)).to.not.include('pending'), 60_000);
      const own = (await statuses(payer)).filter((status) => status === 'paid').length;
      expect((await http.ok(`${path}/meetings/${payer.kitty}`)).collected_amount).to.equal(own * AMOUNT);
      expect((await http.ok(`/wallets/${wallet_id}`)).balance).to.equal(FUNDING - own * AMOUNT);
      await expectValidLedger(http, path);
      paid += own;
    }
    return paid;
  }

  for (const service of SERVICES_LOST) {
    for (const fault of ['cut', 'freeze'] as const) {
      it(`of ${service} accepts no calls while its database is ${DATABASE_STATES[fault]}, then serves again`, async () => {
        const { member, proxy } = doomed.get(service)!;
        const paidBefore = await expectMoneyRight();
        const fault_ms = performance.now() + 1_000;
        const end_ms = fault_ms + NOTICED_MS + AFTER_MS;
        const failing = sleep(1_000).then(() => proxy[fault]());
        const [answers, ready] = await Promise.all([load(end_ms), readiness(end_ms), failing]);
        const seen = summary(answers);
        expect(
          answers.filter(({ status }) => ![201, 202, 503].includes(status)),
          seen,
        ).to.deep.equal([]);
        expect(Math.max(...answers.map(({ took_ms }) => took_ms)), seen).to.be.at.most(DEADLINE_MS);
        const noticed = answers.filter((each) => each.began_ms > fault_ms + NOTICED_MS);
        expect(noticed, seen).to.have.length.at.least(GROUPS);
        expect(
          noticed.filter(({ status }) => status !== 201),
          seen,
        ).to.deep.equal([]);
        expect(
          ready.filter((status) => status !== 200),
          seen,
        ).to.deep.equal([]);

        const said = member.output().length;
        await proxy.restore();
        await eventually(() => expect(member.output().slice(said)).to.contain('calls are accepted'));
        const paid = (await expectMoneyRight()) - paidBefore;
        expect(paid).to.be.at.least(answers.filter(({ status }) => status === 201).length);
      });
    }
  }

  it('fails no read of the others when it is killed', async () => {
    const killed = await cluster.start(['membership', 'treasury']);
    await cluster.ready();
    const answers: Answered[] = [];
    const end_ms = performance.now() + 4_500;
    const reads = payers.map(async ({ member: { http, path } }) => {
      while (performance.now() < end_ms) answers.push(await timed(() => http.get(`${path}/balances`)));
    });
    // All readers wait for the process when it is killed, so that none of their requests shows that it is gone.
    const kill = async () => {
      process.kill(killed.pid, 'SIGSTOP');
      await sleep(1_000);
      await killed.end('SIGKILL');
    };
    await Promise.all([...reads, sleep(1_000).then(kill)]);
    expect(new Set(answers.map(({ status }) => status)), summary(answers)).to.deep.equal(new Set([200]));
  });

  it('serves all requests after the other instances have stopped', async () => {
    const survivors = new Set([...doomed.values()].map(({ member }) => member));
    const others = cluster.members().filter((each) => !survivors.has(each) && !each.services.includes('gateway'));
    await Promise.all(others.map((other) => other.end()));
    await cluster.ready();
    const answers = await load(performance.now() + 1_500);
    expect(answers.map(({ status }) => status)).to.satisfy((all: number[]) => all.every((status) => status === 201));
  });
});
