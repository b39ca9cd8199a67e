import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../harness/eventually.ts';
import { playEverything } from '../harness/every-kind-of-record.ts';
import { bankOf, foundGroup, type GroupOptions, type TestGroup } from '../harness/group.ts';
import { HttpClient, type Json } from '../harness/http.ts';
import {
  ask,
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
import { RestorableCluster } from '../harness/restorable-cluster.ts';
import type { TestMember } from '../harness/test-member.ts';

const AMOUNT = 1_000;

interface Meeting {
  id: string;
  status: string;
}

describe('databases that were restored to different instants', function () {
  this.timeout(300_000);
  let cluster: RestorableCluster;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'restore-'));
    cluster = await RestorableCluster.start(folder);
    await cluster.backUp();
  });
  after(async () => {
    await cluster.stop();
    await rm(folder, { recursive: true });
  });

  /** Reads what members see of their money. */
  async function seenBy({ members, path }: TestGroup): Promise<Json> {
    const { http } = members[0]!;
    const { data: meetings } = (await http.ok(`${path}/meetings?limit=200`)) as unknown as { data: Meeting[] };
    const details = meetings.map(async ({ id, status }) => [
      await http.ok(`${path}/meetings/${id}/dues?limit=200`),
      await http.ok(`${path}/meetings/${id}/contributions?limit=200`),
      status === 'settled' ? await http.ok(`${path}/meetings/${id}/settlement`) : null,
    ]);
    return {
      meetings,
      details: await Promise.all(details),
      balances: await http.ok(`${path}/balances`),
      wallets: await Promise.all(members.map((member) => member.http.ok(`/wallets/${member.wallet_id}`))),
      ledger: (await http.get(`${path}/ledger/export`)).text,
      statements: await Promise.all(
        members.map(async (member) => ({ ...(await member.http.ok(`${path}/statement`)), made_at: null })),
      ),
      cycles: await http.ok(`${path}/cycles`),
      approvals: await http.ok(`${path}/governance/approvals?limit=200`),
      distributions: await http.ok(`${path}/distributions?limit=200`),
      cash: await http.ok(`${path}/cash-ledger?limit=200`),
      association: await http.ok(path),
      roster: await http.ok(`${path}/members?limit=200`),
    };
  }

  /** @param unrecorded fields that are not, or not to the millisecond, in any other record */
  async function expectSeen(group: TestGroup, before: Json, unrecorded: string[] = []): Promise<void> {
    const recorded = (name: string, value: unknown) => (unrecorded.includes(name) ? null : value);
    const after = await seenBy(group);
    // One by one, as a difference is easier to find in a part.
    for (const [part, seen] of Object.entries(before)) {
      expect(JSON.stringify(after[part], recorded, 1), part).to.equal(JSON.stringify(seen, recorded, 1));
    }
  }

  async function verify(expected: 0 | 1): Promise<string> {
    const { code, output } = await cluster.command('verify.ts', 'ledger', '--restart', '--recheck-after', '1s');
    expect(code, output).to.equal(expected);
    return output;
  }

  async function repair(...args: string[]): Promise<{ code: number | null; output: string }> {
    const repaired = await cluster.command('repair.ts', ...args);
    expect(repaired.output, repaired.output).to.not.contain('UNDECIDED');
    return repaired;
  }

  /** Repairs, first without and then with an effect, and starts the services. */
  async function bringTogether(): Promise<string> {
    const plan = await repair();

    expect(plan.output, plan.output).to.match(/Would repair \d+ records\. Nothing is changed/);
    expect(plan.code).to.equal(1);
    const { code, output } = await repair('--apply', '--all');
    expect(code, output).to.equal(0);
    const again = await repair();
    expect(again.output).to.equal('Nothing to repair.\n');
    expect(again.code).to.equal(0);
    await cluster.startServices();
    return output;
  }

  it('of which the treasury is behind: each lost transfer is posted again, exactly as it was', async () => {
    const group = await foundGroup(cluster.cluster, { size: 6, funding: 50_000 });
    const [ama, bih, ...others] = group.members as [TestMember, TestMember, ...TestMember[]];
    const [round = ''] = await startedRounds(ama);
    await done(contribute(ama, round, AMOUNT));
    const instant = await cluster.instant();
    for (const payer of [bih, ...others]) await done(contribute(payer, round, AMOUNT));
    const before = await seenBy(group);
    await cluster.restore({ treasury: instant });

    const found = await verify(1);
    expect(found).to.match(/contributions: 5 differences/);
    expect(found).to.match(/contribution .* is paid, but the treasury has no transfer contribution .* -1000/);
    expect(found).to.match(/pools: 1 differences/);
    const output = await bringTogether();
    expect(output).to.match(/transfers: 5\n {2}post contribution .* again, exactly as recorded/);
    await expectSeen(group, before);
    await verify(0);

    expect(await outcomeOf(contribute(bih, round, AMOUNT)), 'pays twice').to.equal('contribution_exceeds_due');
    const settled = await done(settle(ama, round));
    expect(settled.collected_amount).to.equal(6 * AMOUNT);
    await verify(0);
  });

  it('of which contribution is behind: cycles, meetings, payments, settlements and cash are stored again', async () => {
    const instant = await cluster.instant();
    const { tontine, savings } = await playEverything(cluster.cluster);
    const before = [await seenBy(tontine), await seenBy(savings)];
    await cluster.restore({ contribution: instant });

    const found = await verify(1);
    expect(found).to.match(/owners: \d+ differences/);
    expect(found).to.match(/transfer .* was posted, but contribution has no contribution for it/);
    const output = await bringTogether();
    expect(output).to.match(/cycles: 2\n/);
    const unrecorded = ['title', 'settled_at', 'paid_at', 'created_at'];
    await expectSeen(tontine, before[0]!, unrecorded);
    await expectSeen(savings, before[1]!, unrecorded);
    await verify(0);
  });

  it('of which contribution is behind: a request that is repeated with its key has no second effect', async () => {
    const group = await foundGroup(cluster.cluster, { size: 2, funding: 5_000 });
    const [ama, bih] = group.members as [TestMember, TestMember];
    const kitty = await openedMeeting(ama);
    const instant = await cluster.instant();
    const key = { 'Idempotency-Key': randomUUID() };
    const paid = await ask(contribute(bih, kitty, 77), key);
    const before = await walletsOf(group);
    await cluster.restore({ contribution: instant });
    expect(await bringTogether()).to.match(/keys: 1\n/);
    const again = await ask(contribute(bih, kitty, 77), key);
    expect([again.status, again.body.id]).to.deep.equal([paid.status, paid.body.id]);
    expect(await walletsOf(group)).to.deep.equal(before);
    await verify(0);
  });

  it('of which the treasury is behind, whose lost money has been spent since: the transfer is listed as undecided', async () => {
    const group = await foundGroup(cluster.cluster, { size: 3, funding: 1_500 });
    const [ama, bih, chi] = group.members as [TestMember, TestMember, TestMember];
    const kitty = await openedMeeting(ama);
    const instant = await cluster.instant();
    for (const payer of [ama, bih, chi]) await done(contribute(payer, kitty, AMOUNT));
    await cluster.restore({ treasury: instant });
    await cluster.startServices();
    const bank = bankOf(cluster.cluster);
    await bank.created(`/wallets/${bih.wallet_id}/withdrawals`, { amount: 1_200, reference: 'spent' });
    await done(contribute(chi, kitty, 1));
    await cluster.stopServices();

    const { code, output } = await cluster.command('repair.ts', '--apply');
    expect(output).to.match(/transfers posted anew: 2/);
    expect(output).to.match(
      /UNDECIDED: 1\n {2}transfer contribution .* the ledger refuses it now \(insufficient_funds\)/,
    );
    expect(code).to.equal(1);
    await cluster.startServices();
    expect(await verify(1)).to.match(/contributions: 1 differences/);
    await bank.created(`/wallets/${bih.wallet_id}/deposits`, { amount: 1_000, reference: 'given back' });
    await cluster.stopServices();
    await bringTogether();
    await verify(0);
    expect((await done(settle(ama, kitty))).collected_amount).to.equal(3 * AMOUNT + 1);
  });

  it('of which the treasury is behind everything that a group did: wallets, cash and distributions are stored again', async () => {
    const instant = await cluster.instant();
    const { tontine, savings } = await playEverything(cluster.cluster);
    const before = [await seenBy(tontine), await seenBy(savings)];
    await cluster.restore({ treasury: instant });
    expect(await verify(1)).to.match(/wallets: 7 differences/);
    await bringTogether();
    const unrecorded = ['requested_at', 'recorded_at', 'decided_at', 'created_at'];
    await expectSeen(tontine, before[0]!, unrecorded);
    await expectSeen(savings, before[1]!, unrecorded);
    await verify(0);
    // The distribution that is not decided can still be paid.
    const [ama, bih, chi] = tontine.members as [TestMember, TestMember, TestMember];
    const { data } = await ama.http.ok(`${tontine.path}/distributions?status=pending_approval`);
    const [pending] = data as { approval_id: string; amount: number }[];
    for (const voter of [bih, ama]) await outcomeOf(vote(voter, pending!.approval_id));
    await eventually(async () => {
      const { data: paid } = await chi.http.ok(`${tontine.path}/distributions?status=paid`);
      expect(paid).to.have.length(2);
    });
    await verify(0);
  });

  it('of which governance is behind: approvals, votes and decisions are stored again', async () => {
    const group = await foundGroup(cluster.cluster, { size: 3, roles: ['president', 'treasurer', 'secretary'] });
    const [ama, bih, chi] = group.members as [TestMember, TestMember, TestMember];
    const earlier = await done(recordCash(bih, chi, 300));
    const proposal = (await done(propose(ama, 'rules_change', { max_members: 40 }))).approval as { id: string };
    const instant = await cluster.instant();
    await done(vote(ama, earlier.approval_id));
    for (const voter of [bih, chi]) await done(vote(voter, proposal.id));
    const deposit = await done(recordCash(bih, chi, 700));
    await done(vote(ama, deposit.approval_id));
    const distribution = await done(distribute(ama, chi, 400));
    await done(vote(bih, distribution.approval_id, 'reject'));
    const open = await done(recordCash(bih, chi, 50));
    const before = await seenBy(group);
    await cluster.restore({ governance: instant });
    expect(await verify(1)).to.match(/requests: 4 differences/);
    await bringTogether();
    const unrecorded = ['voted_at', 'decided_at', 'requested_at', 'reason'];
    await eventually(() => expectSeen(group, before, unrecorded));
    await verify(0);
    await done(vote(ama, open.approval_id));
    await verify(0);
  });

  it('of which membership is behind: members, bindings and executed proposals are stored again', async () => {
    const group = await foundGroup(cluster.cluster, {
      size: 3,
      funding: 9_000,
      roles: ['president', 'treasurer', 'member'],
    });
    const [ama, bih] = group.members as [TestMember, TestMember, TestMember];
    const late = new HttpClient(ama.http.origin, cluster.cluster.token('late'));
    const instant = await cluster.instant();
    const proposal = (await done(propose(ama, 'rules_change', { max_members: 40 }))).approval as { id: string };
    await done(vote(bih, proposal.id));
    const { id: late_id } = await late.created(`${group.path}/join`, {});
    const [round = ''] = await startedRounds(ama);
    await done(contribute(ama, round, AMOUNT));
    const before = await seenBy(group);
    await cluster.restore({ membership: instant });
    const found = await verify(1);
    expect(found).to.match(/cycles: 1 differences/);
    expect(found).to.match(/executions: 1 differences/);
    await bringTogether();
    await eventually(() => expectSeen(group, before, ['joined_at', 'display_name', 'created_at']));
    await verify(0);
    expect(late_id).to.be.a('string');
    expect((await late.get(group.path)).status).to.equal(200);
  });

  it('of which treasury and contribution are behind, and the stream is lost: each repeats what the other has', async () => {
    const group = await foundGroup(cluster.cluster, { size: 4, funding: 20_000 });
    const [ama] = group.members as [TestMember, ...TestMember[]];
    const [first = '', second = ''] = await startedRounds(ama);
    const early = await cluster.instant();
    for (const payer of group.members) await done(contribute(payer, first, AMOUNT));
    await done(settle(ama, first));
    const late = await cluster.instant();
    const before = await walletsOf(group);
    await done(contribute(ama, second, AMOUNT));
    await cluster.restore({ treasury: early, contribution: late });
    await cluster.deleteStream();

    expect(await verify(1)).to.match(/contributions: 4 differences/);
    expect(await bringTogether()).to.match(/transfers posted anew: 5/);
    expect(await walletsOf(group)).to.deep.equal(before);
    await verify(0);
    // No database has the last payment, so it can be made again.
    await done(contribute(ama, second, AMOUNT));
    await verify(0);
  });

  it('all of them to different instants, by a repair that is interrupted', async () => {
    const instants: Date[] = [];
    const group = await foundGroup(cluster.cluster, { size: 4, funding: 20_000, roles: OFFICERS });
    const [ama, bih, chi] = group.members as [TestMember, TestMember, TestMember];
    const kitty = await openedMeeting(ama);
    const rounds = await startedRounds(ama);
    for (const round of rounds) {
      instants.push(await cluster.instant());
      for (const payer of group.members) await done(contribute(payer, round, AMOUNT));
      const cash = await done(recordCash(bih, chi, 40, kitty));
      await done(vote(ama, cash.approval_id));
      await done(settle(ama, round));
    }
    await done(contribute(bih, kitty, 77));
    const before = await walletsOf(group);
    const [contribution, treasury, governance, membership] = instants as [Date, Date, Date, Date];
    await cluster.restore({ contribution, treasury, governance, membership });

    await verify(1);
    await cluster.interruptedCommand('repair.ts', '--apply');
    await bringTogether();
    await verify(0);
    expect(await walletsOf(group)).to.deep.equal(before);
  });

  it('are not repaired while a service runs', async () => {
    const { code, output } = await cluster.command('repair.ts', '--apply');
    expect(output).to.match(/^\w+ is running: stop all services, and leave PostgreSQL and NATS running\.\n$/);
    expect(code).to.equal(1);
  });
});

const OFFICERS: NonNullable<GroupOptions['roles']> = ['president', 'treasurer', 'secretary'];

/** Reads the balances of the members' wallets, and what the association holds. */
async function walletsOf({ members, path }: TestGroup): Promise<unknown[]> {
  const balances = members.map(async ({ http, wallet_id }) => (await http.ok(`/wallets/${wallet_id}`)).balance);
  return [await members[0]!.http.ok(`${path}/balances`), ...(await Promise.all(balances))];
}
