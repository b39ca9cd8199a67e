import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { ServiceName } from '../../lib/config/service-names.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { followLocations, forgetLocations } from '../harness/coverage.ts';
import { eventually } from '../harness/eventually.ts';
import type { GroupOptions, TestGroup } from '../harness/group.ts';
import type { HttpAnswer, Json } from '../harness/http.ts';
import { expectValidLedger } from '../harness/verified-ledger.ts';
import { cancelMeeting, contribute, payFine, propose, recordCash, settle } from '../harness/requests.ts';
import { kitty as openMeeting, voteOnLatest } from './stories/asking.ts';
import { repeated, Scene, send, written } from './stories/scene.ts';
import { unfinished } from './stored-plans.ts';

const FUNDING = 1_000;
const AMOUNT = 10;
const CASH = 100;
const PAYMENTS = 60;

describe('the outage of a service', function () {
  this.timeout(120_000);
  let cluster: Cluster;
  let group: TestGroup;
  let kitty: string;

  before(async () => {
    cluster = await startCluster({ faults: true });
    const scene = await Scene.open(cluster, { size: 6, funding: FUNDING, roles: ['president', 'treasurer'] });
    ({ group } = scene);
    kitty = `${group.path}/meetings/${await openMeeting(scene)}`;
  });
  after(() => cluster.stop());

  async function pay(index: number): Promise<HttpAnswer> {
    const { http, wallet_id } = group.members[index % group.members.length]!;
    return http.post(`${kitty}/contribute`, { wallet_id, amount: AMOUNT, pin: await http.sealedPin() });
  }

  /** Waits until all contributions are final; only the paid ones have moved money. @returns the number of paid ones */
  async function expectConsistency(): Promise<number> {
    const { http } = group.members[0]!;
    const paid = await eventually(async () => {
      const { data } = await http.ok(`${kitty}/contributions?limit=200`);
      const statuses = (data as Json[]).map((each) => each.status);
      expect(statuses).to.not.include('pending');
      return statuses.filter((status) => status === 'paid').length;
    });
    const wallets = group.members.map(async (each) => (await each.http.ok(`/wallets/${each.wallet_id}`)).balance);
    const left = (await Promise.all(wallets)).reduce<number>((sum, balance) => sum + (balance as number), 0);
    expect(group.members.length * FUNDING - left).to.equal(paid * AMOUNT);
    expect((await http.ok(kitty)).collected_amount).to.equal(paid * AMOUNT);
    await expectValidLedger(http, group.path);
    return paid;
  }

  it('of treasury leaves payments, settlements and cancellations pending until treasury serves again', async () => {
    const rules = { fines: [{ code: 'phone', trigger: 'manual', amount: AMOUNT }] };
    const roles: GroupOptions['roles'] = ['president', 'treasurer'];
    const scene = await Scene.open(cluster, { size: 2, funding: FUNDING, roles, association: { rules } });
    const { http } = scene.president;
    const fine = { member_id: scene.member(1).member_id, code: 'phone', reason: 'It rang' };
    const { id: fine_id } = await http.created(`${scene.path}/fines`, fine);
    const finePath = `${scene.path}/fines/${fine_id as string}`;
    const meetings = [await openMeeting(scene), await openMeeting(scene), await openMeeting(scene)];
    const [paid, settled, cancelled] = meetings as [string, string, string];
    for (const meeting of [settled, cancelled]) await scene.complete(contribute(scene.member(0), meeting, AMOUNT));
    const asked = [
      contribute(scene.member(0), paid, AMOUNT),
      settle(scene.president, settled),
      cancelMeeting(scene.president, cancelled),
      payFine(scene.member(1), finePath, AMOUNT),
    ];
    const requests = await Promise.all(asked.map(written));
    forgetLocations();

    await cluster.running('treasury').end();
    const answers = await Promise.all(requests.map(send));
    expect(answers.map(({ status }) => status)).to.deep.equal([202, 202, 202, 202]);
    const place = `${scene.path}/meetings/${paid}/contributions/${answers[0]!.body.id as string}`;
    expect((await http.ok(place)).status).to.equal('pending');
    await eventually(async () => expect((await fetch(`${cluster.origin}/health/ready`)).status).to.equal(503));
    expect((await fetch(`${cluster.origin}/health/live`)).status).to.equal(200);

    await cluster.start(['treasury']);
    await eventually(async () => {
      expect((await http.ok(place)).status).to.equal('paid');
      expect((await scene.read(`/meetings/${settled}`)).status).to.equal('settled');
      expect((await scene.read(`/meetings/${cancelled}`)).status).to.equal('cancelled');
      expect((await http.ok(finePath)).status).to.equal('paid');
    });
    expect(await followLocations()).to.deep.equal([]);
    expect((await scene.money()).wallets).to.deep.equal([FUNDING - 2 * AMOUNT, FUNDING - AMOUNT]);
    await expectValidLedger(http, scene.path);
  });

  for (const service of ['treasury', 'contribution'] satisfies ServiceName[]) {
    it(`of one of two processes of ${service} under load neither loses nor repeats a payment`, async () => {
      const second = await cluster.start([service]);
      await cluster.ready();
      const before = await expectConsistency();
      const answers = Array.from({ length: PAYMENTS }, async (_, index) => {
        await sleep(index * 10);
        return pay(index);
      });
      await sleep(250);
      await second.end('SIGKILL');
      const statuses = (await Promise.all(answers)).map((answer) => answer.status);
      expect(statuses.filter((status) => ![201, 202, 503].includes(status))).to.deep.equal([]);
      const paid = (await expectConsistency()) - before;
      expect(paid).to.be.within(statuses.filter((status) => status === 201).length, PAYMENTS);
    });
  }

  describe('while the board votes', () => {
    let scene: Scene;

    before(async () => {
      scene = await Scene.open(cluster, { size: 2, roles: ['president', 'treasurer'] });
    });

    async function expectCarriedOut(subject_type: string): Promise<void> {
      await eventually(async () => {
        const [approval] = await scene.list(`/governance/approvals?subject_type=${subject_type}`);
        expect(approval?.execution).to.deep.equal({ status: 'done', error: null });
      });
    }

    it('of contribution delays the recording of confirmed cash until contribution serves again', async () => {
      const meeting_id = await openMeeting(scene);
      await scene.complete(recordCash(scene.president, scene.member(0), CASH, meeting_id));
      const approval = await written(await voteOnLatest(scene, 1, 'cash_deposit'));
      await cluster.running('contribution').end();
      const { status, body } = await send(approval);
      expect([status, body.status, body.execution]).to.deep.equal([
        200,
        'approved',
        { status: 'pending', error: null },
      ]);
      // The cash is in the meeting's pool, but its contribution is not yet paid.
      expect(await scene.money()).to.include({ cash: CASH, pools_cash: CASH });

      await cluster.start(['contribution']);
      await expectCarriedOut('cash_deposit');
      const contributions = await scene.list(`/meetings/${meeting_id}/contributions`);
      expect(contributions.map((each) => each.status)).to.deep.equal(['paid']);
      expect(await scene.money()).to.include({ cash: CASH, pools_cash: CASH });
      const by = scene.president.http;
      await scene.complete(cancelMeeting(scene.president, meeting_id));
      await expectValidLedger(by, scene.path);
    });

    it('of membership delays an approved closure until membership serves again', async () => {
      await scene.complete(propose(scene.president, 'closure'));
      const approval = await written(await voteOnLatest(scene, 1, 'closure'));
      const doomed = cluster.running('governance');
      doomed.dieAt('governance.execution.locking');
      await Promise.all([send(approval), doomed.ended]);
      await cluster.running('membership').end();
      const governance = await cluster.start(['governance']);
      await eventually(() =>
        expect(governance.output()).to.contain('a job failed for one item, and will try it again'),
      );

      await cluster.start(['membership']);
      await expectCarriedOut('closure');
      expect((await scene.read('')).status).to.equal('closed');
      expect((await repeated(cluster, approval)).status).to.equal(200);
      await eventually(async () => expect(await unfinished(cluster)).to.deep.equal([]));
    });
  });
});
