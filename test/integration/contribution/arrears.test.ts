import { expect } from 'chai';
import { obligations } from '../../../lib/contracts/contribution.ts';
import { transfer } from '../../../lib/contracts/treasury.ts';
import { LATER, OPENING_BALANCE, paidTo, PAY_COLLECTED, useContribution } from '../../harness/contribution.ts';
import type { Person } from '../../harness/contribution.ts';
import { atOnce, outcomeOf, refusalOf } from '../../harness/refusal.ts';

describe('contribution: arrears', () => {
  const harness = useContribution(LATER);
  const { treasury, membership } = harness;

  const obligationsOf = (association_id: string, { member_id }: Person) =>
    harness.command(obligations, { association_id, member_id, cycle_id: null });

  it('are owed to the beneficiary: with 10 of 12 members paid, they get 100 000 and the other two owe them 10 000 each', async () => {
    const { people, president, first, pay } = await harness.cycle(Array<number>(12).fill(1), PAY_COLLECTED);
    await pay(first, people.slice(0, 10));
    const settlement = await harness.settle(president, first);
    const amounts = { collected_amount: 100_000, expected_amount: 120_000, shortfall_amount: 20_000 };
    expect(settlement).to.include(amounts);
    expect(paidTo(settlement)).to.deep.equal([[president.member_id, 100_000]]);
    const owed_to = [{ member_id: president.member_id, amount: 10_000 }];
    expect(settlement.arrears).to.deep.equal(
      people.slice(10).map(({ member_id }) => ({ member_id, amount: 10_000, owed_to })),
    );
  });

  it('can be paid in parts, by any member, and go directly to the creditor', async () => {
    const group = await harness.cycleWithArrears([1, 1, 1]);
    const { association_id, member, creditor, debtor, first, settlement } = group;
    expect(await harness.due(debtor, first)).to.include({ due: 10_000, paid: 0, outstanding: 10_000, arrears: 10_000 });
    expect(await obligationsOf(association_id, debtor)).to.deep.include({ has_arrears: true });

    const before = harness.wallet(creditor);
    const part = await harness.contribute(debtor, first, 4_000);
    expect(part).to.deep.include({ amount: 4_000, outstanding: 6_000, status: 'paid', method: 'wallet' });
    const { kind, member_id, legs } = treasury.inputs.get(part.id)!;
    expect([kind, member_id]).to.deep.equal(['arrears_payment', debtor.member_id]);
    expect(legs.map((leg) => [leg.account, leg.amount_minor, leg.member_id])).to.deep.equal([
      [`wallet:${debtor.wallet_id}`, -4_000, undefined],
      [`wallet:${creditor.wallet_id}`, 4_000, creditor.member_id],
    ]);
    expect(harness.wallet(creditor) - before).to.equal(4_000);
    expect(await harness.due(debtor, first)).to.include({ paid: 4_000, outstanding: 6_000, arrears: 6_000 });
    const tooMuch = await refusalOf(harness.contribute(debtor, first, 6_001));
    expect(tooMuch).to.deep.equal({ code: 'contribution_exceeds_due', extras: { outstanding: 6_000 } });
    const rest = await harness.contribute(member, first, 6_000, { for_member_id: debtor.member_id });
    expect(rest).to.deep.include({ member_id: debtor.member_id, outstanding: 0 });
    expect((await refusalOf(harness.contribute(debtor, first, 1))).extras).to.deep.equal({ outstanding: 0 });
    expect(await harness.due(debtor, first)).to.deep.include({ paid: 10_000, outstanding: 0, arrears: 0 });
    expect(await obligationsOf(association_id, debtor)).to.deep.include({ has_arrears: false });
    // For a member who never had arrears from the meeting, it is closed.
    expect(await outcomeOf(harness.contribute(member, first, 1))).to.equal('meeting_not_open');
    // The settlement's arrears and the collected amount do not change.
    expect((await harness.getSettlement(creditor, first)).arrears).to.deep.equal(settlement.arrears);
    expect((await harness.getMeeting(creditor, first)).collected_amount).to.equal(20_000);
    const paid = await harness.events(association_id, 'contribution.paid');
    expect(paid.slice(-2).map(({ data }) => data.member_id)).to.deep.equal([debtor.member_id, debtor.member_id]);
  });

  it('follow the current `shortfall` rule of the association, not the rules that the cycle has pinned', async () => {
    const { association_id, people, president, first, pay } = await harness.cycle([1, 1, 1], PAY_COLLECTED);
    const { terms } = membership.association(association_id);
    await pay(first, people.slice(1));
    terms.rules = { ...terms.rules, shortfall: 'block' };
    terms.rules_version = 2;
    expect(await outcomeOf(harness.settle(president, first))).to.equal('meeting_underfunded');
    terms.rules = { ...terms.rules, shortfall: 'pay_collected' };
    expect((await harness.settle(president, first)).rules_version).to.equal(1);
  });

  it('are never owed by beneficiaries to themselves', async () => {
    const { people, president, first, pay } = await harness.cycle([1, 1], PAY_COLLECTED);
    await pay(first, people.slice(1));
    const settlement = await harness.settle(president, first);
    expect(settlement.arrears).to.deep.equal([]);
    expect(paidTo(settlement)).to.deep.equal([[president.member_id, 10_000]]);
    expect(await harness.due(president, first)).to.deep.include({ paid: 0, outstanding: 10_000, arrears: 0 });
    expect(await outcomeOf(harness.contribute(president, first, 1))).to.equal('meeting_not_open');
  });

  it('are what each hand lacks; debtors are listed, and creditors are paid, in rotation order', async () => {
    const rules = { ...PAY_COLLECTED, beneficiaries_per_meeting: 2 };
    const group = harness.group([1, 1, 1, 1], { contribution_amount_minor: 1_001 }, rules);
    const [a, b, c, d] = group.people as [Person, Person, Person, Person];
    const member_order = [a, b, d, c].map((person) => person.member_id);
    await harness.startCycle(group, { order: 'manual', member_order });
    const first = (await harness.meetings(group))[0]!;
    await harness.contribute(a, first, 1_001);
    await harness.contribute(b, first, 1_001);
    await harness.contribute(c, first, 1_000);
    const settlement = await harness.settle(a, first);
    expect(paidTo(settlement).map(([, amount]) => amount)).to.deep.equal([1_501, 1_501]);
    const to = ({ member_id }: Person, amount: number) => ({ member_id, amount });
    expect(settlement.arrears).to.deep.equal([
      { member_id: d.member_id, amount: 1_001, owed_to: [to(a, 501), to(b, 500)] },
      { member_id: c.member_id, amount: 1, owed_to: [to(b, 1)] },
    ]);
    const settled = OPENING_BALANCE - 1_001 + 1_501;
    expect(harness.wallets([a, b])).to.deep.equal([settled, settled]);
    await harness.contribute(d, first, 600);
    expect(harness.wallets([a, b])).to.deep.equal([settled + 501, settled + 99]);
    await harness.contribute(d, first, 401);
    await harness.contribute(c, first, 1);
    expect(harness.wallets([a, b])).to.deep.equal([OPENING_BALANCE + 1_001, OPENING_BALANCE + 1_001]);
  });

  it('are deducted from the debtor’s own payout, oldest first', async () => {
    const group = await harness.cycleWithArrears([1, 1, 1]);
    const { association_id, people, president, debtor, first, second, pay } = group;
    const [a, b] = people as [Person, Person];
    const third = group.meetings[2]!;
    await pay(second, [a, b]);
    await harness.settle(president, second);
    await harness.contribute(debtor, first, 3_000);
    await pay(third, [a]);
    // The debtor's payout is 10 000; they owe 7 000 to the first member and 10 000 to the second.
    expect(paidTo(await harness.settle(president, third))).to.deep.equal([
      [a.member_id, 7_000],
      [b.member_id, 3_000],
    ]);
    expect(await harness.due(debtor, first)).to.deep.include({ paid: 10_000, arrears: 0 });
    expect(await harness.due(debtor, second)).to.deep.include({ paid: 3_000, outstanding: 7_000, arrears: 7_000 });
    // The cycle is over. Arrears remain, do not prevent a new cycle, and can still be paid.
    expect(await obligationsOf(association_id, debtor)).to.deep.equal({ cycle_running: false, has_arrears: true });
    await harness.startCycle(group, { starts_on: '2027-07-01' });
    expect((await harness.contribute(debtor, second, 7_000)).outstanding).to.equal(0);
    // The second member has not paid the third round, so they owe its beneficiary, the debtor, their due.
    expect(await harness.due(b, third)).to.deep.include({ outstanding: 10_000, arrears: 10_000 });
  });

  it('are paid exactly once when concurrent payments race the settlement that deducts them', async () => {
    for (let run = 0; run < 4; run += 1) {
      const { people, president, creditor, debtor, first, second, pay } = await harness.cycleWithArrears();
      await pay(second, people);
      const before = harness.wallet(creditor) + harness.wallet(debtor);
      const [settlement, ...outcomes] = await Promise.all([
        harness.settle(president, second),
        ...atOnce(4, () => outcomeOf(harness.contribute(debtor, first, 6_000))),
      ]);
      for (const outcome of outcomes) expect(outcome).to.be.oneOf(['done', 'contribution_exceeds_due']);
      const direct = outcomes.filter((outcome) => outcome === 'done').length * 6_000;
      const deducted = settlement.payouts.find((payout) => payout.member_id === creditor.member_id)?.amount ?? 0;
      expect(direct + deducted).to.equal(10_000);
      expect(await harness.due(debtor, first)).to.deep.include({ paid: 10_000, outstanding: 0, arrears: 0 });
      expect(harness.wallet(creditor) + harness.wallet(debtor)).to.equal(before + 20_000);
    }
  });

  it('are neither deducted nor paid again while the outcome of a payment is unknown', async () => {
    const { people, president, creditor, debtor, first, second, pay } = await harness.cycleWithArrears();
    await pay(second, people);
    treasury.next(transfer, 'answer_lost');
    expect((await harness.contribute(debtor, first, 4_000)).status).to.equal('pending');
    expect((await refusalOf(harness.contribute(debtor, first, 6_001))).extras).to.deep.equal({ outstanding: 6_000 });
    expect(paidTo(await harness.settle(president, second))).to.deep.equal([
      [creditor.member_id, 6_000],
      [debtor.member_id, 14_000],
    ]);
    await harness.recover(async () => expect(await harness.due(debtor, first)).to.include({ arrears: 0 }));
    expect(harness.wallets(people)).to.deep.equal([OPENING_BALANCE, OPENING_BALANCE]);
  });

  it('remain owed when the ledger refuses their payment', async () => {
    const { debtor, first } = await harness.cycleWithArrears();
    treasury.balances.set(`wallet:${debtor.wallet_id}`, 5_000n);
    expect(await outcomeOf(harness.contribute(debtor, first, 10_000))).to.equal('insufficient_funds');
    expect(await harness.contributions(debtor, first)).to.have.length(1);
    expect((await harness.contribute(debtor, first, 5_000)).outstanding).to.equal(5_000);
  });

  it('remain owed when the ledger refuses the settlement that deducts them', async () => {
    const { people, president, creditor, debtor, first, second, pay } = await harness.cycleWithArrears();
    await pay(second, people);
    const wallet = treasury.wallets.get(creditor.wallet_id)!;
    wallet.currency = 'EUR';
    expect(await outcomeOf(harness.settle(president, second))).to.equal('wallet_currency_mismatch');
    wallet.currency = 'XAF';
    expect(await harness.due(debtor, first)).to.deep.include({ paid: 0, arrears: 10_000 });
    await harness.contribute(debtor, first, 10_000);
    expect(paidTo(await harness.settle(president, second))).to.deep.equal([[debtor.member_id, 20_000]]);
  });

  it('are paid even to a creditor who has left, and the creditor may pay them for the debtor', async () => {
    const { association_id, creditor, debtor, first } = await harness.cycleWithArrears();
    const before = harness.wallet(creditor);
    await harness.contribute(creditor, first, 1_000, { for_member_id: debtor.member_id });
    expect(harness.wallet(creditor)).to.equal(before);
    const { members } = membership.association(association_id);
    members.find((member) => member.member_id === creditor.member_id)!.status = 'left';
    expect((await harness.contribute(debtor, first, 9_000)).outstanding).to.equal(0);
    expect(harness.wallet(creditor)).to.equal(before + 9_000);
  });
});
