import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { FINES, playEverything, playFinesAndSheets } from '../harness/every-kind-of-record.ts';
import { bankOf, foundGroup } from '../harness/group.ts';
import type { Json } from '../harness/http.ts';
import {
  ask,
  contribute,
  done,
  openedMeeting,
  outcomeOf,
  payFine,
  settle,
  startedRounds,
} from '../harness/requests.ts';
import type { TestMember } from '../harness/test-member.ts';
import { Restoration, walletsOf } from './restore/restoration.ts';

const AMOUNT = 1_000;

describe('contribution and treasury that were restored to different instants', function () {
  this.timeout(300_000);
  let restoration: Restoration;

  before(async () => {
    restoration = await Restoration.start();
  });
  after(() => restoration.stop());

  it('of which the treasury is behind: each lost transfer is posted again, exactly as it was', async () => {
    const group = await foundGroup(restoration.cluster.cluster, { size: 6, funding: 50_000 });
    const [ama, bih, ...others] = group.members as [TestMember, TestMember, ...TestMember[]];
    const [round = ''] = await startedRounds(ama);
    await done(contribute(ama, round, AMOUNT));
    const instant = await restoration.cluster.instant();
    for (const payer of [bih, ...others]) await done(contribute(payer, round, AMOUNT));
    const before = await restoration.seenBy(group);
    await restoration.cluster.restore({ treasury: instant });

    const found = await restoration.verify(1);
    expect(found).to.match(/contributions: 5 differences/);
    expect(found).to.match(/contribution .* is paid, but the treasury has no transfer contribution .* -1000/);
    expect(found).to.match(/pools: 1 differences/);
    const output = await restoration.bringTogether();
    expect(output).to.match(/transfers: 5\n {2}post contribution .* again, exactly as recorded/);
    await restoration.expectSeen(group, before);
    await restoration.verify(0);

    expect(await outcomeOf(contribute(bih, round, AMOUNT)), 'pays twice').to.equal('contribution_exceeds_due');
    const settled = await done(settle(ama, round));
    expect(settled.collected_amount).to.equal(6 * AMOUNT);
    await restoration.verify(0);
  });

  it('of which contribution is behind: cycles, meetings, payments, settlements and cash are stored again', async () => {
    const instant = await restoration.cluster.instant();
    const { tontine, savings } = await playEverything(restoration.cluster.cluster, false);
    const before = [await restoration.seenBy(tontine), await restoration.seenBy(savings)];
    const lateChecks = () => restoration.cluster.sql('contribution', 'SELECT * FROM late_checks ORDER BY meeting_id');
    const checks = await lateChecks();
    expect(checks).to.have.length(4);
    await restoration.cluster.restore({ contribution: instant });

    const found = await restoration.verify(1);
    expect(found).to.match(/owners: \d+ differences/);
    expect(found).to.match(/transfer .* was posted, but contribution has no contribution for it/);
    const output = await restoration.bringTogether();
    expect(output).to.match(/cycles: 2\n/);
    expect(await lateChecks()).to.deep.equal(checks);
    const unrecorded = ['title', 'settled_at', 'paid_at', 'created_at'];
    await restoration.expectSeen(tontine, before[0]!, unrecorded);
    await restoration.expectSeen(savings, before[1]!, unrecorded);
    await restoration.verify(0);
  });

  it('of which contribution is behind: a request that is repeated with its key has no second effect', async () => {
    const group = await foundGroup(restoration.cluster.cluster, { size: 2, funding: 5_000 });
    const [ama, bih] = group.members as [TestMember, TestMember];
    const kitty = await openedMeeting(ama);
    const instant = await restoration.cluster.instant();
    const key = { 'Idempotency-Key': randomUUID() };
    const paid = await ask(contribute(bih, kitty, 77), key);
    const before = await walletsOf(group);
    await restoration.cluster.restore({ contribution: instant });
    expect(await restoration.bringTogether()).to.match(/keys: 1\n/);
    const again = await ask(contribute(bih, kitty, 77), key);
    expect([again.status, again.body.id]).to.deep.equal([paid.status, paid.body.id]);
    expect(await walletsOf(group)).to.deep.equal(before);
    await restoration.verify(0);
  });

  it('of which the treasury is behind, whose lost money has been spent since: the transfer is listed as undecided', async () => {
    const group = await foundGroup(restoration.cluster.cluster, { size: 3, funding: 1_500 });
    const [ama, bih, chi] = group.members as [TestMember, TestMember, TestMember];
    const kitty = await openedMeeting(ama);
    const instant = await restoration.cluster.instant();
    for (const payer of [ama, bih, chi]) await done(contribute(payer, kitty, AMOUNT));
    await restoration.cluster.restore({ treasury: instant });
    await restoration.cluster.startServices();
    const bank = bankOf(restoration.cluster.cluster);
    await bank.created(`/wallets/${bih.wallet_id}/withdrawals`, { amount: 1_200, reference: 'spent' });
    await done(contribute(chi, kitty, 1));
    await restoration.cluster.stopServices();

    const { code, output } = await restoration.cluster.command('repair.ts', '--apply');
    expect(output).to.match(/transfers posted anew: 2/);
    expect(output).to.match(
      /UNDECIDED: 1\n {2}transfer contribution .* the ledger refuses it now \(insufficient_funds\)/,
    );
    expect(code).to.equal(1);
    await restoration.cluster.startServices();
    expect(await restoration.verify(1)).to.match(/contributions: 1 differences/);
    await bank.created(`/wallets/${bih.wallet_id}/deposits`, { amount: 1_000, reference: 'given back' });
    await restoration.cluster.stopServices();
    await restoration.bringTogether();
    await restoration.verify(0);
    expect((await done(settle(ama, kitty))).collected_amount).to.equal(3 * AMOUNT + 1);
  });

  it('of which the treasury is behind: payments of fines are posted again for the fined member, without the stream too', async () => {
    const rules = { fines: FINES };
    const group = await foundGroup(restoration.cluster.cluster, { size: 2, funding: 1_000, association: { rules } });
    const [ama, bih] = group.members as [TestMember, TestMember];
    const assessed = { member_id: bih.member_id, code: 'phone', reason: 'It rang' };
    const fine = await ama.http.created(`${group.path}/fines`, assessed);
    for (const isStreamLost of [false, true]) {
      const instant = await restoration.cluster.instant();
      await done(payFine(ama, `${group.path}/fines/${fine.id as string}`, 100));
      const before = await walletsOf(group);
      await restoration.cluster.restore({ treasury: instant });
      if (isStreamLost) await restoration.cluster.deleteStream();
      expect(await restoration.verify(1)).to.match(/fine payments: 1 differences/);
      await restoration.bringTogether();
      expect(await walletsOf(group)).to.deep.equal(before);
      const { movements } = await bih.http.ok(`${group.path}/statement`);
      const expected = { kind: 'fine_payment', amount: 100 };
      expect((movements as Json[]).at(-1)).to.include(expected);
      expect(movements).to.have.length(isStreamLost ? 2 : 1);
      await restoration.verify(0);
    }
  });

  it('of which contribution is behind: attendance, fines and meeting sheets are lost, and listed as undecided', async () => {
    const group = await foundGroup(restoration.cluster.cluster, {
      size: 4,
      funding: 1_000,
      roles: ['president', 'treasurer', 'secretary'],
      association: { rules: { fines: FINES } },
    });
    const open = await openedMeeting(group.members[0]!);
    const instant = await restoration.cluster.instant();
    await playFinesAndSheets(group, open);
    await restoration.cluster.restore({ contribution: instant });
    const { code, output } = await restoration.cluster.command('repair.ts', '--apply');
    expect(code, output).to.equal(1);
    for (const lost of [
      /the attendance of meeting \S+ that was recorded at \S+ is lost/,
      /fine \S+ \(phone\) of member \S+ is lost/,
      /a submission of sheet \S+ of meeting \S+ is lost/,
      /transfer \S+ \(fine_payment\) of association \S+ has no record in contribution/,
      /transfer \S+ \(meeting_sheet\) of association \S+ has no record in contribution/,
      /approval \S+ of fine_waiver is approved, and contribution has lost what it is about/,
      /approval \S+ of meeting_sheet is approved, and contribution has lost what it is about/,
    ]) {
      expect(output).to.match(lost);
    }
    const again = await restoration.cluster.command('repair.ts');
    expect(again.output).to.match(/^UNDECIDED: \d+\n[^]*^Nothing to repair, \d+ undecided\.$/m);
    expect(again.code).to.equal(1);
  });
});
