import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { API_BASE } from '../../lib/contracts/api.ts';
import { startCluster } from '../harness/cluster.ts';
import type { Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { foundGroup } from '../harness/group.ts';
import type { TestGroup } from '../harness/group.ts';
import type { HttpAnswer, Json } from '../harness/http.ts';
import { expectValidLedger } from '../harness/verified-ledger.ts';
import { kitty as openMeeting, propose, recordCash, vote } from './stories/asking.ts';
import { repeated, Scene, send, written } from './stories/scene.ts';
import { unfinished } from './stored-plans.ts';

const FUNDING = 1_000;
const AMOUNT = 10;
const CASH = 100;

describe('a service that is away', function () {
  this.timeout(120_000);
  let cluster: Cluster;
  let group: TestGroup;
  let kitty: string;

  before(async () => {
    cluster = await startCluster({ faults: true });
    group = await foundGroup(cluster, { size: 6, funding: FUNDING, roles: ['president', 'treasurer'] });
    const meeting = await group.members[0]!.http.created(`${group.path}/meetings`, { title: 'Kitty' });
    kitty = `${group.path}/meetings/${meeting.id as string}`;
  });
  after(() => cluster.stop());

  async function pay(index: number): Promise<HttpAnswer> {
    const { http, wallet_id } = group.members[index % group.members.length]!;
    return http.post(`${kitty}/contribute`, { wallet_id, amount: AMOUNT, pin: await http.sealedPin() });
  }

  /** Every contribution is decided, and the money moved is that of the paid ones. */
  async function expectConsistency(): Promise<number> {
    const { http } = group.members[0]!;
    let paid = 0;
    await eventually(async () => {
      const { data } = await http.ok(`${kitty}/contributions?limit=200`);
      const statuses = (data as Json[]).map((each) => each.status);
      expect(statuses).to.not.include('pending');
      paid = statuses.filter((status) => status === 'paid').length;
    });
    const wallets = group.members.map(async (each) => (await each.http.ok(`/wallets/${each.wallet_id}`)).balance);
    const left = (await Promise.all(wallets)).reduce<number>((sum, balance) => sum + (balance as number), 0);
    expect(group.members.length * FUNDING - left).to.equal(paid * AMOUNT);
    expect((await http.ok(kitty)).collected_amount).to.equal(paid * AMOUNT);
    await expectValidLedger(http, group.path);
    return paid;
  }

  it('makes a payment pending, and it is paid once the service is back', async () => {
    await cluster.running('treasury').end();
    const answer = await pay(0);
    expect([answer.status, answer.body.status]).to.deep.equal([202, 'pending']);
    const place = answer.headers.get('location')!.slice(API_BASE.length);
    expect((await group.members[0]!.http.ok(place)).status).to.equal('pending');

    await eventually(async () => expect((await fetch(`${cluster.origin}/health/ready`)).status).to.equal(503));
    expect((await fetch(`${cluster.origin}/health/live`)).status).to.equal(200);

    await cluster.start(['treasury']);
    await eventually(async () => expect((await group.members[0]!.http.ok(place)).status).to.equal('paid'));
    expect(await expectConsistency()).to.equal(1);
  });

  it('loses and doubles nothing when one of two treasuries is killed under load', async () => {
    const second = await cluster.start(['treasury']);
    await cluster.ready();
    const answers = Array.from({ length: 60 }, async (_, index) => {
      await sleep(index * 10);
      return pay(index);
    });
    await sleep(250);
    await second.end('SIGKILL');
    const statuses = (await Promise.all(answers)).map((answer) => answer.status);
    expect(statuses.filter((status) => status !== 201 && status !== 202 && status !== 503)).to.deep.equal([]);
    const paid = await expectConsistency();
    expect(paid).to.be.at.least(statuses.filter((status) => status === 201).length);
  });

  it('loses and doubles nothing when one of two contribution services is killed under load', async () => {
    const second = await cluster.start(['contribution']);
    await cluster.ready();
    const before = await expectConsistency();
    const answers = Array.from({ length: 60 }, async (_, index) => {
      await sleep(index * 10);
      return pay(index);
    });
    await sleep(250);
    await second.end('SIGKILL');
    const statuses = (await Promise.all(answers)).map((answer) => answer.status);
    const paid = (await expectConsistency()) - before;
    expect(paid).to.be.at.least(statuses.filter((status) => status === 201).length);
    expect(paid).to.be.at.most(statuses.length);
  });
});

describe('a service that is away while the board decides', function () {
  this.timeout(60_000);
  let cluster: Cluster;
  let scene: Scene;

  before(async () => {
    cluster = await startCluster({ faults: true });
    scene = await Scene.open(cluster, { size: 2, roles: ['president', 'treasurer'] });
  });

  after(() => cluster.stop());

  async function expectCarriedOut(subject_type: string): Promise<void> {
    await eventually(async () => {
      const [approval] = await scene.list(`/governance/approvals?subject_type=${subject_type}`);
      expect(approval?.execution).to.deep.equal({ status: 'done', error: null });
    });
  }

  it('finds, if it is contribution, the cash that was confirmed for a meeting once it is back', async () => {
    const meeting_id = await openMeeting(scene);
    await scene.surely(recordCash(scene, 0, CASH, meeting_id));
    const approval = await written(await vote(scene, 1, 'cash_deposit'));
    await cluster.running('contribution').end();
    const { status, body } = await send(approval);
    expect([status, body.status, body.execution]).to.deep.equal([
      ...[200, 'approved'],
      { status: 'pending', error: null },
    ]);
    // The cash is in the meeting's pool: what is missing is that its contribution counts.
    expect(await scene.money()).to.include({ cash: CASH, pools_cash: CASH });

    await cluster.start(['contribution']);
    await expectCarriedOut('cash_deposit');
    const contributions = await scene.list(`/meetings/${meeting_id}/contributions`);
    expect(contributions.map((each) => each.status)).to.deep.equal(['paid']);
    expect(await scene.money()).to.include({ cash: CASH, pools_cash: CASH });
    const by = scene.president.http;
    await scene.surely({ by, path: `${scene.path}/meetings/${meeting_id}/cancel` });
    await expectValidLedger(by, scene.path);
  });

  it('closes, if it is membership, what was to be closed once it is back', async () => {
    await scene.surely(propose(scene, 'closure'));
    const approval = await written(await vote(scene, 1, 'closure'));
    const doomed = cluster.running('governance');
    doomed.dieAt('governance.decision_stored');
    await Promise.all([send(approval), doomed.ended]);
    await cluster.running('membership').end();
    const governance = await cluster.start(['governance']);
    await eventually(() => expect(governance.output()).to.contain('could not be told yet'));

    await cluster.start(['membership']);
    await expectCarriedOut('closure');
    expect((await scene.read('')).status).to.equal('closed');
    expect((await repeated(cluster, approval)).status).to.equal(200);
    await eventually(async () => expect(await unfinished(cluster)).to.deep.equal([]));
  });
});
