import { expect } from 'chai';
import { eventually } from '../harness/eventually.ts';
import { playEverything } from '../harness/every-kind-of-record.ts';
import { bankOf, foundGroup, type GroupOptions } from '../harness/group.ts';
import { HttpClient } from '../harness/http.ts';
import {
  contribute,
  distribute,
  done,
  openedMeeting,
  outcomeOf,
  propose,
  recordCash,
  settle,
  startedRounds,
  vote,
} from '../harness/requests.ts';
import type { TestMember } from '../harness/test-member.ts';
import { Restoration, walletsOf } from './restore/restoration.ts';

const AMOUNT = 1_000;

const CASH_METADATA = 'SELECT id, metadata FROM cash_deposits WHERE metadata IS NOT NULL ORDER BY id';

const OFFICERS: NonNullable<GroupOptions['roles']> = ['president', 'treasurer', 'secretary'];

describe('four databases that were restored to different instants', function () {
  this.timeout(300_000);
  let restoration: Restoration;

  before(async () => {
    restoration = await Restoration.start();
  });
  after(() => restoration.stop());

  it('of which the treasury is behind everything that a group did: wallets, cash and distributions are stored again', async () => {
    const instant = await restoration.cluster.instant();
    const { tontine, savings } = await playEverything(restoration.cluster.cluster);
    const [ama, bih, chi] = tontine.members as [TestMember, TestMember, TestMember];
    const before = [await restoration.seenBy(tontine), await restoration.seenBy(savings)];
    /** Repeats a withdrawal, without its metadata. */
    const repeated = () => {
      const withdrawal = { amount: 500, reference: 'out' };
      return bankOf(restoration.cluster.cluster).created(`/wallets/${ama.wallet_id}/withdrawals`, withdrawal);
    };
    const withdrawn = await repeated();
    const described = await restoration.cluster.sql('treasury', CASH_METADATA);
    expect(described).to.have.length(2);
    await restoration.cluster.restore({ treasury: instant });
    expect(await restoration.verify(1)).to.match(/wallets: 7 differences/);
    await restoration.bringTogether();
    const unrecorded = ['requested_at', 'recorded_at', 'decided_at', 'created_at'];
    await restoration.expectSeen(tontine, before[0]!, unrecorded);
    await restoration.expectSeen(savings, before[1]!, unrecorded);
    expect(withdrawn).to.have.property('metadata');
    expect(await repeated()).to.deep.equal(withdrawn);
    expect(await restoration.cluster.sql('treasury', CASH_METADATA)).to.deep.equal(described);
    await restoration.verify(0);
    // The distribution that is not decided can still be paid.
    const { data } = await ama.http.ok(`${tontine.path}/distributions?status=pending_approval`);
    const [pending] = data as { approval_id: string; amount: number }[];
    for (const voter of [bih, ama]) await outcomeOf(vote(voter, pending!.approval_id));
    await eventually(async () => {
      const { data: paid } = await chi.http.ok(`${tontine.path}/distributions?status=paid`);
      expect(paid).to.have.length(2);
    });
    await restoration.verify(0);
  });

  it('of which governance is behind: approvals, votes and decisions are stored again', async () => {
    const group = await foundGroup(restoration.cluster.cluster, {
      size: 3,
      roles: ['president', 'treasurer', 'secretary'],
    });
    const [ama, bih, chi] = group.members as [TestMember, TestMember, TestMember];
    const earlier = await done(recordCash(bih, chi, 300));
    const proposal = (await done(propose(ama, 'rules_change', { max_members: 40 }))).approval as { id: string };
    const instant = await restoration.cluster.instant();
    await done(vote(ama, earlier.approval_id));
    for (const voter of [bih, chi]) await done(vote(voter, proposal.id));
    const deposit = await done(recordCash(bih, chi, 700));
    await done(vote(ama, deposit.approval_id));
    const distribution = await done(distribute(ama, chi, 400));
    await done(vote(bih, distribution.approval_id, 'reject'));
    const open = await done(recordCash(bih, chi, 50));
    const before = await restoration.seenBy(group);
    await restoration.cluster.restore({ governance: instant });
    expect(await restoration.verify(1)).to.match(/requests: 4 differences/);
    await restoration.bringTogether();
    const unrecorded = ['voted_at', 'decided_at', 'requested_at', 'reason'];
    await eventually(() => restoration.expectSeen(group, before, unrecorded));
    await restoration.verify(0);
    await done(vote(ama, open.approval_id));
    await restoration.verify(0);
  });

  it('of which membership is behind: changes, members, bindings and executed proposals are stored again', async () => {
    const group = await foundGroup(restoration.cluster.cluster, {
      size: 3,
      funding: 9_000,
      roles: ['president', 'treasurer', 'member'],
    });
    const [ama, bih] = group.members as [TestMember, TestMember, TestMember];
    const late = new HttpClient(ama.http.origin, restoration.cluster.cluster.token('late'));
    const instant = await restoration.cluster.instant();
    const proposal = (await done(propose(ama, 'rules_change', { max_members: 40 }))).approval as { id: string };
    await done(vote(bih, proposal.id));
    await done({ by: ama.http, method: 'PATCH', path: group.path, body: { name: 'Renamed', description: 'Again' } });
    const { id: late_id } = await late.created(`${group.path}/join`, {});
    const [round = ''] = await startedRounds(ama);
    await done(contribute(ama, round, AMOUNT));
    const before = await restoration.seenBy(group);
    await restoration.cluster.restore({ membership: instant });
    const found = await restoration.verify(1);
    expect(found).to.match(/cycles: 1 differences/);
    expect(found).to.match(/executions: 1 differences/);
    await restoration.bringTogether();
    await eventually(() => restoration.expectSeen(group, before, ['joined_at', 'display_name', 'created_at']));
    await restoration.verify(0);
    expect(late_id).to.be.a('string');
    expect((await late.get(group.path)).status).to.equal(200);
  });

  it('of which membership is behind: PINs that were reset are deleted again, and lost ones are listed as undecided', async () => {
    const { cluster } = restoration.cluster;
    const [shared, lost, both] = ['shared', 'lost', 'both'].map(
      (user) => new HttpClient(cluster.origin, cluster.token(`${user}-pin`)),
    ) as [HttpClient, HttpClient, HttpClient];
    const operator = new HttpClient(cluster.origin, cluster.token('pin-operator', { scope: 'pins:reset' }));
    const reset = (user: string) => done({ by: operator, method: 'DELETE', path: `/users/${user}-pin/pin` });
    const hasPin = async (user: HttpClient) => (await user.ok('/me/pin')).set;
    for (const user of [shared, both]) await user.setPin();
    const instant = await restoration.cluster.instant();
    await lost.setPin();
    for (const user of ['shared', 'both']) await reset(user);
    await both.setPin();
    await restoration.cluster.restore({ membership: instant });

    const { code, output } = await restoration.cluster.command('repair.ts', '--apply');
    expect(code).to.equal(1);
    expect(output).to.match(
      /PINs: 2\n {2}delete the PIN of user shared-pin again\n {2}delete the PIN of user both-pin again\n/,
    );
    expect(output).to.match(
      /UNDECIDED: 2\n {2}the PIN that user lost-pin has set at \S+ is lost\n {2}the PIN that user both-pin/,
    );
    expect((await restoration.cluster.command('repair.ts')).output).to.equal('Nothing to repair.\n');
    await restoration.cluster.startServices();
    for (const user of [shared, lost, both]) expect(await hasPin(user)).to.equal(false);
    await restoration.verify(0);
  });

  it('of which treasury and contribution are behind, and the stream is lost: each repeats what the other has', async () => {
    const group = await foundGroup(restoration.cluster.cluster, { size: 4, funding: 20_000 });
    const [ama] = group.members as [TestMember, ...TestMember[]];
    const [first = '', second = ''] = await startedRounds(ama);
    const early = await restoration.cluster.instant();
    for (const payer of group.members) await done(contribute(payer, first, AMOUNT));
    await done(settle(ama, first));
    const late = await restoration.cluster.instant();
    const before = await walletsOf(group);
    await done(contribute(ama, second, AMOUNT));
    await restoration.cluster.restore({ treasury: early, contribution: late });
    await restoration.cluster.deleteStream();

    expect(await restoration.verify(1)).to.match(/contributions: 4 differences/);
    expect(await restoration.bringTogether()).to.match(/transfers posted anew: 5/);
    expect(await walletsOf(group)).to.deep.equal(before);
    await restoration.verify(0);
    // No database has the last payment, so it can be made again.
    await done(contribute(ama, second, AMOUNT));
    await restoration.verify(0);
  });

  it('all of them to different instants, by a repair that is interrupted', async () => {
    const instants: Date[] = [];
    const group = await foundGroup(restoration.cluster.cluster, { size: 4, funding: 20_000, roles: OFFICERS });
    const [ama, bih, chi] = group.members as [TestMember, TestMember, TestMember];
    const kitty = await openedMeeting(ama);
    const rounds = await startedRounds(ama);
    for (const round of rounds) {
      instants.push(await restoration.cluster.instant());
      for (const payer of group.members) await done(contribute(payer, round, AMOUNT));
      const cash = await done(recordCash(bih, chi, 40, kitty));
      await done(vote(ama, cash.approval_id));
      await done(settle(ama, round));
    }
    await done(contribute(bih, kitty, 77));
    const before = await walletsOf(group);
    const [contribution, treasury, governance, membership] = instants as [Date, Date, Date, Date];
    await restoration.cluster.restore({ contribution, treasury, governance, membership });

    await restoration.verify(1);
    await restoration.cluster.interruptedCommand('repair.ts', '--apply');
    await restoration.bringTogether();
    await restoration.verify(0);
    expect(await walletsOf(group)).to.deep.equal(before);
  });

  it('are not repaired while a service runs', async () => {
    const { code, output } = await restoration.cluster.command('repair.ts', '--apply');
    expect(output).to.match(/^\w+ is running: stop all services, and leave PostgreSQL and NATS running\.\n$/);
    expect(code).to.equal(1);
  });
});
